-- name: read_stream_page
-- why: a page of a stream, newest event first; one row more than asked says has_more
-- Of the two upper bounds, cursor and end_time, the index is given the lower one alone. With both it would be read
-- from the higher one on.
-- :feed_id uuid
-- :before_event_at timestamptz?
-- :before_position bigint?
-- :start_time timestamptz?
-- :end_time timestamptz?
-- :offset bigint
-- :limit int
-- :names text[]
-- :texts text[]
-- :literals jsonb[]
-- :work_max bigint
-- :whole_max bigint
-- returns data_version bigint, unindexed bigint, is_refused boolean, data text?,
--   last_event_at timestamptz?, last_position bigint?, has_more boolean
with bounds as (
  select
    greatest(
      coalesce(:start_time, '-infinity'::timestamptz),
      oldest_readable((select retention_days from feeds where feed_id = :feed_id))
    ) as start_time,
    least(coalesce(:before_event_at, 'infinity'::timestamptz), coalesce(:end_time, 'infinity'::timestamptz))
      as end_time,
    case when :end_time::timestamptz < :before_event_at::timestamptz then 9223372036854775807
      else coalesce(:before_position, 9223372036854775807) end as end_position
),
matches as (
  select matched.row_event_at, matched.row_position, matched.payload
  from match_stream_rows(
    read_feed_id => :feed_id,
    before_event_at => (select end_time from bounds),
    before_position => (select end_position from bounds),
    start_time => (select start_time from bounds),
    rows_max => :offset::bigint + :limit::int + 1,
    names => :names,
    texts => :texts,
    literals => :literals,
    work_max => filter_work_max(:feed_id, 0, :work_max, :whole_max)
  ) as matched
  where cardinality(:names::text[]) > 0
),
-- What an offset skips is not fetched.
page_start as (
  select event_at, position
  from stream_events
  where feed_id = :feed_id
    and (event_at, position)
      < ((select end_time from bounds), (select end_position from bounds))
    and event_at >= (select start_time from bounds)
  order by event_at desc, position desc
  offset :offset
  limit 1
),
found_rows as (
  -- PostgreSQL runs only one of the two halves.
  (
    select
      event_at,
      position,
      payload
    from stream_events
    where cardinality(:names) = 0
      and feed_id = :feed_id
      and (event_at, position)
        <= ((select event_at from page_start), (select position from page_start))
      and event_at >= (select start_time from bounds)
    order by event_at desc, position desc
    limit :limit::int + 1
  )
  union all
  (
    select matches.row_event_at, matches.row_position, matches.payload
    from matches
    where matches.row_position is not null
    order by matches.row_event_at desc, matches.row_position desc
    limit :limit::int + 1
    offset :offset
  )
),
page_rows as (
  select event_at, position, payload
  from found_rows
  order by event_at desc, position desc
  limit :limit
)
select
  feeds.data_version,
  case when cardinality(:names) > 0 then count_unindexed_rows(:feed_id, 0) else 0 end as unindexed,
  exists (select from matches where row_position is null) as is_refused,
  (select string_agg(payload::text, ',' order by event_at desc, position desc) from page_rows)
    as data,
  (select event_at from page_rows order by event_at, position limit 1) as last_event_at,
  (select position from page_rows order by event_at, position limit 1) as last_position,
  (select count(*) > :limit from found_rows) as has_more
from feeds
where feed_id = :feed_id
