-- name: list_recurring_spending
-- why: what an account has spent on reads in a range of UTC days, by feed and key, as the base of a forecast
-- Reads only the daily totals. A feed counts with nothing on a day on which it was bought with the key: it is not bought
-- again.
-- :account_id uuid
-- :from_day text
-- :to_day text
-- returns feed_id uuid, key_id uuid?, spent_nanos bigint
select
  feed_id,
  key_id,
  sum(charged_nanos - refunded_nanos)::bigint as spent_nanos
from spending_days
where account_id = :account_id
  and day between :from_day::text::date and :to_day::text::date
  and purchases = 0
group by feed_id, key_id
order by feed_id, key_id
