-- name: undo_payout
-- why: undoes a payout that was recorded by mistake, once
-- :payout_id bigint
-- :reason text
-- :actor text?
-- returns outcome text, payout_id bigint, account_id uuid, amount_nanos bigint, reference text,
--   paid_at timestamptz, undoes_payout_id bigint?, undone_by_payout_id bigint?, reason text?
select
  undone.outcome,
  (undone.payout).payout_id,
  (undone.payout).account_id,
  (undone.payout).amount_nanos,
  (undone.payout).reference,
  (undone.payout).paid_at,
  (undone.payout).undoes_payout_id,
  null::bigint as undone_by_payout_id,
  (undone.payout).reason
from undo_payout(:payout_id, :reason, :actor) as undone
