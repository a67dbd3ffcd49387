-- name: redeem_promotion
-- why: gives an account the credits of a promotion code, once
-- $1 code text
-- $2 account_id uuid
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
from redeem_promotion($1, $2)
