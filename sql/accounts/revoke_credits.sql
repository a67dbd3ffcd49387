-- name: revoke_credits
-- why: takes credits back from an account, once for each reference, and never more than it has
-- $1 account_id uuid
-- $2 amount_nanos bigint
-- $3 reason text
-- $4 reference text?
-- returns outcome text, entry_id bigint?, account_id uuid?, kind text?, amount_nanos bigint?,
--   balance_before_nanos bigint?, balance_after_nanos bigint?, reason text?, reference text?,
--   created_at timestamptz?, balance bigint?
select
  outcome,
  (entry).entry_id,
  (entry).account_id,
  (entry).kind,
  (entry).amount_nanos,
  (entry).balance_before_nanos,
  (entry).balance_after_nanos,
  (entry).reason,
  (entry).reference,
  (entry).created_at,
  balance
from append_ledger_entry($1, 'revocation', -$2::bigint, $3, $4)
