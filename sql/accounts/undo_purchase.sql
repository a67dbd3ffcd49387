-- name: undo_purchase
-- why: takes back that an account has bought a one-time feed
-- $1 account_id uuid
-- $2 feed_id uuid
-- $3 reason text
-- returns outcome text, entry_id bigint?, account_id uuid?, kind text?, amount_nanos bigint?,
--   balance_before_nanos bigint?, balance_after_nanos bigint?, reason text?, reference text?,
--   created_at timestamptz?
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
  (entry).created_at
from undo_purchase($1, $2, $3)
