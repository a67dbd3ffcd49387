-- name: read_stream_page
-- why: a page of a stream, newest event first; one row more than asked says has_more
-- Of the two upper bounds, cursor and end_time, the index is given the lower one alone. With both it would be read
-- from the higher one on.
-- $1 feed_id uuid
-- $2 before_event_at timestamptz?
-- $3 before_position bigint?
-- $4 start_time timestamptz?
-- $5 end_time timestamptz?
-- $6 offset bigint
-- $7 limit int
-- $8 names text[]
-- $9 texts text[]
-- $10 literals jsonb[]
-- $11 work_max bigint
-- $12 whole_max bigint
-- returns data_version bigint, unindexed bigint, is_refused boolean, data text?,
--   last_event_at timestamptz?, last_position bigint?, has_more boolean
with bounds as (
  select
    greatest(
      coalesce($4, '-infinity'::timestamptz),
      oldest_readable((select retention_days from feeds where feed_id = $1))
    ) as start_time,
    least(coalesce($2, 'infinity'::timestamptz), coalesce($5, 'infinity'::timestamptz))
      as end_time,
    case when $5::timestamptz < $2::timestamptz then 9223372036854775807
      else coalesce($3, 9223372036854775807) end as end_position
),
matches as (
  select matched.row_event_at, matched.row_position, matched.payload
  from match_stream_rows(
    $1,
    (select end_time from bounds),
    (select end_position from bounds),
    (select start_time from bounds),
    $6::bigint + $7::int + 1, $8, $9, $10, filter_work_max($1, 0, $11, $12)
  ) as matched
  where cardinality($8::text[]) > 0
),
-- What an offset skips is not fetched.
page_start as (
  select event_at, position
  from stream_events
  where feed_id = $1
    and (event_at, position)
      < ((select end_time from bounds), (select end_position from bounds))
    and event_at >= (select start_time from bounds)
  order by event_at desc, position desc
  offset $6
  limit 1
),
found_rows as (
  -- Of the two halves one is not run at all.
  (
    select
      event_at,
      position,
      payload
    from stream_events
    where cardinality($8) = 0
      and feed_id = $1
      and (event_at, position)
        <= ((select event_at from page_start), (select position from page_start))
      and event_at >= (select start_time from bounds)
    order by event_at desc, position desc
    limit $7::int + 1
  )
  union all
  (
    select matches.row_event_at, matches.row_position, matches.payload
    from matches
    where matches.row_position is not null
    order by matches.row_event_at desc, matches.row_position desc
    limit $7::int + 1
    offset $6
  )
),
page_rows as (
  select event_at, position, payload
  from found_rows
  order by event_at desc, position desc
  limit $7
)
select
  feeds.data_version,
  case when cardinality($8) > 0 then count_unindexed_rows($1, 0) else 0 end as unindexed,
  exists (select from matches where row_position is null) as is_refused,
  (select string_agg(payload::text, ',' order by event_at desc, position desc) from page_rows)
    as data,
  (select event_at from page_rows order by event_at, position limit 1) as last_event_at,
  (select position from page_rows order by event_at, position limit 1) as last_position,
  (select count(*) > $7 from found_rows) as has_more
from feeds
where feed_id = $1
