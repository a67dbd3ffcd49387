-- name: list_feed_days
-- why: reads, earnings, pushes, and punctuality of a feed on each of the last UTC days, including today
-- For each day, only the newest pushes count, up to what a chart needs. A feed is on time while its newest stored push
-- is no older than the sync interval plus 10 %, as in reliability_of. on_time_percent is null before the first push.
-- :feed_id uuid
-- :days int
-- :counted_max int
-- returns day text, reads bigint, readers bigint, net_nanos bigint, rows_new bigint, rows_changed bigint,
--   refusals bigint, on_time_percent text?
with feed as (
  select feed_id, first_pushed_at, sync_interval_mins * interval '66 seconds' as fresh_for
  from feeds
  where feed_id = :feed_id
),
days as (
  select
    day::date as day,
    day at time zone 'UTC' as begins_at,
    least((day + interval '1 day') at time zone 'UTC', now()) as ends_at
  from generate_series(
    date_trunc('day', now() at time zone 'UTC') - make_interval(days => :days::int - 1),
    date_trunc('day', now() at time zone 'UTC'),
    interval '1 day'
  ) as day
)
select
  to_char(days.day, 'YYYY-MM-DD') as day,
  coalesce(sold.reads, 0)::bigint as reads,
  customers.readers,
  coalesce(sold.gross_nanos - sold.refunded_nanos - sold.fee_nanos, 0)::bigint as net_nanos,
  pushed.rows_new,
  pushed.rows_changed,
  pushed.refusals,
  case
    when days.ends_at > span.begins_at
      then round(100 * fresh.seconds / extract(epoch from days.ends_at - span.begins_at), 1)::text
  end as on_time_percent
from days
cross join feed
left join earning_days as sold
  on sold.feed_id = feed.feed_id
  and sold.day = days.day
cross join lateral (
  select coalesce(sum(customer_counts.accounts), 0)::bigint as readers
  from customer_counts
  where customer_counts.scope_id = feed.feed_id
    and customer_counts.day = days.day
) as customers
cross join lateral (
  select
    coalesce(sum(newest.rows_inserted) filter (where newest.stored), 0)::bigint as rows_new,
    coalesce(sum(newest.rows_updated) filter (where newest.stored), 0)::bigint as rows_changed,
    coalesce(sum(newest.times) filter (where not newest.stored), 0)::bigint as refusals,
    case when count(*) = :counted_max::int then min(newest.pushed_at) end as counted_from,
    array_agg(newest.pushed_at order by newest.pushed_at) filter (where newest.stored) as stored_at
  from (
    select pushed_at, stored, rows_inserted, rows_updated, times
    from pushes
    where pushes.feed_id = feed.feed_id
      and pushes.pushed_at >= days.begins_at
      and pushes.pushed_at < days.ends_at
    order by pushes.pushed_at desc, pushes.push_id desc
    limit :counted_max::int
  ) as newest
) as pushed
cross join lateral (
  select greatest(days.begins_at, feed.first_pushed_at, pushed.counted_from) as begins_at
  where feed.first_pushed_at is not null
  union all
  select 'infinity'
  where feed.first_pushed_at is null
) as span
cross join lateral (
  select coalesce(
    sum(extract(epoch from greatest(
      least(shown.pushed_at + feed.fresh_for, shown.next_at)
        - greatest(shown.pushed_at, span.begins_at),
      interval '0'
    ))),
    0
  ) as seconds
  from (
    select
      stored.pushed_at,
      lead(stored.pushed_at, 1, days.ends_at) over (order by stored.pushed_at) as next_at
    from (
      (
        select before.pushed_at
        from pushes as before
        where before.feed_id = feed.feed_id
          and before.stored
          and before.pushed_at < days.begins_at
        order by before.pushed_at desc
        limit 1
      )
      union all
      select unnest(pushed.stored_at)
    ) as stored (pushed_at)
  ) as shown
) as fresh
order by days.day
