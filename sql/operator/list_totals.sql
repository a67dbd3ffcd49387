-- name: list_totals
-- why: totals of the whole gateway in a range of minutes or UTC days, if there are any
-- group_seconds: of the Unix epoch, the start of the minute or day
-- :by text
-- :from timestamptz
-- :until timestamptz
-- returns group_seconds bigint, name text, amount bigint
select extract(epoch from minute)::bigint as group_seconds, name, amount
from minute_totals
where :by::text = 'minute'
  and minute >= :from::timestamptz
  and minute < :until::timestamptz
union all
select extract(epoch from day::timestamp)::bigint, name, amount
from day_totals
where :by = 'day'
  and day >= (:from at time zone 'UTC')::date
  and day < (:until at time zone 'UTC')::date
order by group_seconds, name
