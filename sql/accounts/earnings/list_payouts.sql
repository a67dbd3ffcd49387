-- name: list_payouts
-- why: payouts of a provider, or of all, newest first, after the previous page
-- :account_id uuid?
-- :since timestamptz?
-- :until timestamptz?
-- :before_payout_id bigint?
-- :limit int
-- returns payout_id bigint, account_id uuid, amount_nanos bigint, reference text, paid_at timestamptz,
--   undoes_payout_id bigint?, undone_by_payout_id bigint?, reason text?
select
  payouts.payout_id,
  payouts.account_id,
  payouts.amount_nanos,
  payouts.reference,
  payouts.paid_at,
  payouts.undoes_payout_id,
  undo.payout_id as undone_by_payout_id,
  payouts.reason
from payouts
left join payouts as undo
  on undo.undoes_payout_id = payouts.payout_id
where (:account_id::uuid is null or payouts.account_id = :account_id)
  and (:since::timestamptz is null or payouts.paid_at >= :since)
  and (:until::timestamptz is null or payouts.paid_at <= :until)
  and (:before_payout_id::bigint is null or payouts.payout_id < :before_payout_id)
order by payouts.payout_id desc
limit :limit::int
