-- name: list_push_days
-- why: the number of pushes to a feed on each of the last days, including today, up to what a chart needs
-- :feed_id uuid
-- :days int
-- :counted_max int
-- returns day text, pushes bigint
select to_char(days.day, 'YYYY-MM-DD') as day, counted.pushes
from generate_series(
  date_trunc('day', now() at time zone 'UTC') - make_interval(days => :days::int - 1),
  date_trunc('day', now() at time zone 'UTC'),
  interval '1 day'
) as days (day)
cross join lateral (
  select count(*) as pushes
  from (
    select 1
    from pushes
    where feed_id = :feed_id
      and stored
      and pushed_at >= days.day at time zone 'UTC'
      and pushed_at < (days.day + interval '1 day') at time zone 'UTC'
    limit :counted_max::int
  ) as stored_pushes
) as counted
order by days.day
