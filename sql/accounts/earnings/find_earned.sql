-- name: find_earned
-- why: total sales and payouts of a provider, or of all providers if none is given
-- :account_id uuid?
-- returns gross_nanos bigint, refunded_nanos bigint, fee_nanos bigint, paid_nanos bigint
select
  coalesce(sum(gross_nanos), 0)::bigint as gross_nanos,
  coalesce(sum(refunded_nanos), 0)::bigint as refunded_nanos,
  coalesce(sum(fee_nanos), 0)::bigint as fee_nanos,
  (
    select coalesce(sum(amount_nanos), 0)
    from payouts
    where :account_id::uuid is null
      or payouts.account_id = :account_id
  )::bigint as paid_nanos
from (
  -- PostgreSQL runs only one of the two halves.
  select gross_nanos, refunded_nanos, fee_nanos
  from earning_days
  where earning_days.account_id = :account_id
  union all
  select gross_nanos, refunded_nanos, fee_nanos
  from earning_days
  where :account_id is null
) as days
