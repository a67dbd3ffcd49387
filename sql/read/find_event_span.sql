-- name: find_event_span
-- why: the times of a stream's oldest and newest readable event, by two index look-ups
-- :feed_id uuid
-- returns oldest_event timestamptz?, newest_event timestamptz?
with readable as (
  select oldest_readable(retention_days) as since
  from feeds
  where feed_id = :feed_id
)
select
  (
    select event_at
    from stream_events
    where feed_id = :feed_id
      and event_at >= (select since from readable)
    order by event_at
    limit 1
  ) as oldest_event,
  (
    select event_at
    from stream_events
    where feed_id = :feed_id
      and event_at >= (select since from readable)
    order by event_at desc
    limit 1
  ) as newest_event
