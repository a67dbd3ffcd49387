-- name: read_stream_tail
-- why: what arrived in a stream after a position, in the order of arrival
-- $1 feed_id uuid
-- $2 after_position bigint?
-- $3 limit int
-- returns data_version bigint, newest_position bigint, data text?, last_position bigint?, has_more boolean
with arrived as (
  select position, payload
  from stream_events
  where feed_id = $1
    and position > $2
    and event_at >= oldest_readable((select retention_days from feeds where feed_id = $1))
  order by position
  limit $3::int + 1
),
page_rows as (
  select position, payload
  from arrived
  order by position
  limit $3
)
select
  feeds.data_version,
  feeds.next_position - 1 as newest_position,
  (select string_agg(payload::text, ',' order by position) from page_rows) as data,
  (select max(position) from page_rows) as last_position,
  (select count(*) > $3 from arrived) as has_more
from feeds
where feed_id = $1
