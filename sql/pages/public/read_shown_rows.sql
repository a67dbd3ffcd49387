-- name: read_shown_rows
-- why: the first rows of a feed for its page, in the order of a read and up to a number of bytes
-- A singleton's document is cut after that many characters. With rows_max 0, only the newest event's time is read.
-- :feed_id uuid
-- :rows_max int
-- :bytes_max int
-- returns newest_event timestamptz?, data text?
with feed as (
  select current_batch, oldest_readable(retention_days) as start_time
  from feeds
  where feed_id = :feed_id
),
first_rows as (
  (
    select
      row_number() over (order by event_at desc, position desc) as place,
      payload::text as payload,
      octet_length(payload::text) as bytes
    from stream_events
    where feed_id = :feed_id
      and event_at >= (select start_time from feed)
    order by event_at desc, position desc
    limit :rows_max::int
  )
  union all
  (
    select position, payload::text, octet_length(payload::text)
    from collection_rows
    where feed_id = :feed_id
      and batch_number = (select current_batch from feed)
    order by position
    limit :rows_max::int
  )
  union all
  (
    select 1, left(payload::text, :bytes_max::int), 0
    from documents
    where feed_id = :feed_id
      and :rows_max::int > 0
  )
),
measured as (
  select place, payload, sum(bytes) over (order by place) as bytes
  from first_rows
)
select
  (
    select event_at
    from stream_events
    where feed_id = :feed_id
      and event_at >= (select start_time from feed)
    order by event_at desc
    limit 1
  ) as newest_event,
  (select string_agg(payload, ',' order by place) from measured where bytes <= :bytes_max::int) as data
from feed
