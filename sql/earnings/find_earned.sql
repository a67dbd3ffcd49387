-- name: find_earned
-- why: what a provider has sold, and has been paid, since the beginning
-- :account_id uuid
-- returns gross_nanos bigint, refunded_nanos bigint, fee_nanos bigint, paid_nanos bigint
select
  coalesce(sum(gross_nanos), 0)::bigint as gross_nanos,
  coalesce(sum(refunded_nanos), 0)::bigint as refunded_nanos,
  coalesce(sum(fee_nanos), 0)::bigint as fee_nanos,
  (
    select coalesce(sum(amount_nanos), 0)
    from payouts
    where payouts.account_id = :account_id
  )::bigint as paid_nanos
from earning_days
where earning_days.account_id = :account_id
