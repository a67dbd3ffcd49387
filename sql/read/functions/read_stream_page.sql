-- A page of a stream, newest event first. Its plan is kept, as in read_collection_page.
--
-- Of the two upper bounds, cursor and end_time, only the lower one is given to the index. With both, it would be read
-- from the higher one on.
create or replace function read_stream_page(
  read_feed_id uuid, -- :feed_id
  before_event_at timestamptz, -- :before_event_at?
  before_position bigint, -- :before_position?
  since timestamptz, -- :start_time?
  until timestamptz, -- :end_time?
  rows_skipped bigint, -- :offset
  rows_max int, -- :limit
  names text[], -- :names
  texts text[], -- :texts
  literals jsonb[], -- :literals
  work_max bigint, -- :work_max
  whole_max bigint -- :whole_max
)
returns table (
  data_version bigint, -- :data_version
  unindexed bigint, -- :unindexed
  is_refused boolean, -- :is_refused
  data text, -- :data?
  last_event_at timestamptz, -- :last_event_at?
  last_position bigint, -- :last_position?
  oldest_event_at timestamptz, -- :oldest_event_at?
  has_more boolean -- :has_more
)
language plpgsql
stable
rows 1
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with bounds as (
      select
        greatest(
          coalesce(since, '-infinity'::timestamptz),
          oldest_readable((select retention_days from feeds where feed_id = read_feed_id))
        ) as start_time,
        least(coalesce(before_event_at, 'infinity'::timestamptz), coalesce(until, 'infinity'::timestamptz))
          as end_time,
        case when until < before_event_at then 9223372036854775807
          else coalesce(before_position, 9223372036854775807) end as end_position
    ),
    matches as (
      select matched.row_event_at, matched.row_position, matched.payload
      from match_stream_rows(
        read_feed_id => read_feed_id,
        before_event_at => (select end_time from bounds),
        before_position => (select end_position from bounds),
        start_time => (select start_time from bounds),
        rows_max => rows_skipped + rows_max + 1,
        names => names,
        texts => texts,
        literals => literals,
        work_max => filter_work_max(read_feed_id, 0, work_max, whole_max)
      ) as matched
      where cardinality(names) > 0
    ),
    -- Rows skipped by an offset are not fetched.
    page_start as (
      select event_at, position
      from stream_events
      where feed_id = read_feed_id
        and (event_at, position)
          < ((select end_time from bounds), (select end_position from bounds))
        and event_at >= (select start_time from bounds)
      order by event_at desc, position desc
      offset rows_skipped
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
        where cardinality(names) = 0
          and feed_id = read_feed_id
          and (event_at, position)
            <= ((select event_at from page_start), (select position from page_start))
          and event_at >= (select start_time from bounds)
        order by event_at desc, position desc
        limit rows_max + 1
      )
      union all
      (
        select matches.row_event_at, matches.row_position, matches.payload
        from matches
        where matches.row_position is not null
        order by matches.row_event_at desc, matches.row_position desc
        limit rows_max + 1
        offset rows_skipped
      )
    ),
    page_rows as (
      select event_at, position, payload
      from found_rows
      order by event_at desc, position desc
      limit rows_max
    )
    select
      feeds.data_version,
      case when cardinality(names) > 0 then count_unindexed_rows(read_feed_id, 0) else 0 end as unindexed,
      exists (select from matches where row_position is null) as is_refused,
      (select string_agg(payload::text, ',' order by event_at desc, position desc) from page_rows)
        as data,
      (select event_at from page_rows order by event_at, position limit 1) as last_event_at,
      (select position from page_rows order by event_at, position limit 1) as last_position,
      (select min(event_at) from found_rows) as oldest_event_at,
      (select count(*) > rows_max from found_rows) as has_more
    from feeds
    where feed_id = read_feed_id;
end
$$;
