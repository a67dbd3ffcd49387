-- The reliability of a feed, 0 to 100: the share of time in which its newest successful push was no older than the sync
-- interval plus 10 %. The time starts `history` ago, or with the first push if that is later. Null before the first
-- interval has passed.
create or replace function reliability_of(
  scored_feed uuid,
  first_pushed_at timestamptz,
  sync_interval_mins int,
  moment timestamptz,
  history interval
)
returns numeric
language sql
stable
as $$
  with span as (
    select
      greatest(first_pushed_at, moment - history) as begins_at,
      -- A minute plus 10 %.
      sync_interval_mins * interval '66 seconds' as fresh_for
  ),
  -- The newest push when the period began, and all later ones. Each counts until the next.
  shown as (
    select
      pushes.pushed_at,
      lead(pushes.pushed_at, 1, moment) over (order by pushes.pushed_at, pushes.push_id) as next_at
    from pushes
    cross join span
    where pushes.feed_id = scored_feed
      and pushes.stored
      and pushes.pushed_at <= moment
      and pushes.pushed_at >= coalesce(
        (
          select earlier.pushed_at
          from pushes as earlier
          where earlier.feed_id = scored_feed
            and earlier.stored
            and earlier.pushed_at <= span.begins_at
          order by earlier.pushed_at desc
          limit 1
        ),
        span.begins_at
      )
  ),
  fresh as (
    select sum(extract(epoch from greatest(
      least(shown.pushed_at + span.fresh_for, shown.next_at)
        - greatest(shown.pushed_at, span.begins_at),
      interval '0'
    ))) as seconds
    from shown
    cross join span
  )
  select round(
    100 * coalesce(fresh.seconds, 0) / extract(epoch from moment - span.begins_at), 1
  )
  from span
  cross join fresh
  where moment >= first_pushed_at + sync_interval_mins * interval '1 minute'
$$;
