-- name: read_stream_tail
-- why: the events that arrived in a stream after a position, in arrival order
-- :feed_id uuid
-- :after_position bigint?
-- :limit int
-- returns data_version bigint, newest_position bigint, data text?, last_position bigint?, has_more boolean
with arrived as (
  select position, payload
  from stream_events
  where feed_id = :feed_id
    and position > :after_position
    and event_at >= oldest_readable((select retention_days from feeds where feed_id = :feed_id))
  order by position
  limit :limit::int + 1
),
page_rows as (
  select position, payload
  from arrived
  order by position
  limit :limit
)
select
  feeds.data_version,
  feeds.next_position - 1 as newest_position,
  (select string_agg(payload::text, ',' order by position) from page_rows) as data,
  (select max(position) from page_rows) as last_position,
  (select count(*) > :limit from arrived) as has_more
from feeds
where feed_id = :feed_id
