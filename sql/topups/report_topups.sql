-- name: report_topups
-- why: payments by payment method in a range of days, by when they were granted or expired
-- A pending payment counts only if it has an alert, by when it was begun.
-- :from_day text
-- :to_day text
-- returns way text, granted bigint, paid_nanos bigint, taken_back_nanos bigint, unrecovered_nanos bigint,
--   expired bigint, alerts bigint
select
  way,
  count(*) filter (where status = 'granted') as granted,
  coalesce(sum(amount_nanos) filter (where status = 'granted'), 0)::bigint as paid_nanos,
  sum(taken_back_nanos)::bigint as taken_back_nanos,
  sum(unrecovered_nanos)::bigint as unrecovered_nanos,
  count(*) filter (where status = 'expired') as expired,
  count(*) filter (where alert is not null) as alerts
from topups
where (
    ended_at >= (:from_day::text::date)::timestamp at time zone 'UTC'
    and ended_at < (:to_day::text::date + 1)::timestamp at time zone 'UTC'
  )
  or (
    ended_at is null
    and alert is not null
    and created_at >= (:from_day::text::date)::timestamp at time zone 'UTC'
    and created_at < (:to_day::text::date + 1)::timestamp at time zone 'UTC'
  )
group by way
order by way
