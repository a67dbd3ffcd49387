-- name: record_payout
-- why: records a payout to a provider, once for each reference, and no more than is owed unless that is allowed
-- :account_id uuid
-- :amount_nanos bigint
-- :reference text
-- :allow_above boolean
-- :actor text?
-- returns outcome text, owed_nanos bigint?, payout_id bigint, account_id uuid, amount_nanos bigint, reference text,
--   paid_at timestamptz, undoes_payout_id bigint?, undone_by_payout_id bigint?, reason text?
select
  recorded.outcome,
  recorded.owed_nanos,
  (recorded.payout).payout_id,
  (recorded.payout).account_id,
  (recorded.payout).amount_nanos,
  (recorded.payout).reference,
  (recorded.payout).paid_at,
  (recorded.payout).undoes_payout_id,
  null::bigint as undone_by_payout_id,
  (recorded.payout).reason
from record_payout(:account_id, :amount_nanos, :reference, :allow_above, :actor) as recorded
