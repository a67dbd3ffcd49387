-- name: record_payout
-- why: notes what a provider has been paid, once for each reference
-- :account_id uuid
-- :amount_nanos bigint
-- :reference text
-- :actor text?
-- returns outcome text, payout_id bigint, account_id uuid, amount_nanos bigint, reference text,
--   paid_at timestamptz
select
  recorded.outcome,
  (recorded.payout).payout_id,
  (recorded.payout).account_id,
  (recorded.payout).amount_nanos,
  (recorded.payout).reference,
  (recorded.payout).paid_at
from record_payout(:account_id, :amount_nanos, :reference, :actor) as recorded
