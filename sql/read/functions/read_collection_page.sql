-- A page of a collection's batch, in arrival order. It is a function so that its plan is kept. Otherwise PostgreSQL
-- plans it for each call, because a page without a filter seems cheaper than with a generic plan. A kept plan must also
-- suit a table that was small when it was made, so it uses indexes.
create or replace function read_collection_page(
  read_feed_id uuid, -- :feed_id
  read_batch bigint, -- :batch_number?
  after_position bigint, -- :after_position
  rows_skipped bigint, -- :offset
  rows_max int, -- :limit
  names text[], -- :names
  texts text[], -- :texts
  literals jsonb[], -- :literals
  grace interval, -- :grace
  work_max bigint, -- :work_max
  whole_max bigint -- :whole_max
)
returns table (
  data_version bigint, -- :data_version
  batch_number bigint, -- :batch_number?
  is_current boolean, -- :is_current?
  is_readable boolean, -- :is_readable?
  unindexed bigint, -- :unindexed
  is_refused boolean, -- :is_refused
  data text, -- :data?
  last_position bigint, -- :last_position?
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
    with batch as (
      select
        feeds.feed_id,
        feeds.data_version,
        batches.batch_number,
        batches.batch_number = feeds.current_batch as is_current,
        batches.batch_number = feeds.current_batch
          or batches.retired_at > clock_timestamp() - grace
          -- It was shown as the first batch, until an import was.
          or batches.status = 'open' as is_readable
      from feeds
      left join batches
        on batches.feed_id = feeds.feed_id
        and batches.batch_number = coalesce(read_batch, feeds.current_batch)
      where feeds.feed_id = read_feed_id
    ),
    matches as (
      select matched.row_position, matched.payload
      from match_collection_rows(
        read_feed_id => read_feed_id,
        read_batch => (select batch_number from batch where is_readable),
        after_position => after_position,
        rows_max => rows_skipped + rows_max + 1,
        names => names,
        texts => texts,
        literals => literals,
        work_max => filter_work_max(read_feed_id, (select batch_number from batch), work_max, whole_max)
      ) as matched
      where cardinality(names) > 0
    ),
    -- Rows skipped by an offset are not fetched.
    page_start as (
      select collection_rows.position
      from collection_rows
      where collection_rows.feed_id = read_feed_id
        and collection_rows.batch_number = (select batch_number from batch where is_readable)
        and collection_rows.position > after_position
      order by collection_rows.position
      offset rows_skipped
      limit 1
    ),
    -- PostgreSQL runs only one of the two halves.
    found_rows as (
      (
        select collection_rows.position, collection_rows.payload
        from collection_rows
        where cardinality(names) = 0
          and collection_rows.feed_id = read_feed_id
          and collection_rows.batch_number = (select batch_number from batch where is_readable)
          and collection_rows.position >= (select position from page_start)
        order by collection_rows.position
        limit rows_max + 1
      )
      union all
      (
        select matches.row_position, matches.payload
        from matches
        where matches.row_position is not null
        order by matches.row_position
        limit rows_max + 1
        offset rows_skipped
      )
    ),
    page_rows as (
      select position, payload
      from found_rows
      order by position
      limit rows_max
    )
    select
      batch.data_version,
      batch.batch_number,
      batch.is_current,
      batch.is_readable,
      case when cardinality(names) > 0 then count_unindexed_rows(read_feed_id, batch.batch_number) else 0 end
        as unindexed,
      exists (select from matches where row_position is null) as is_refused,
      (select string_agg(payload::text, ',' order by position) from page_rows) as data,
      (select max(position) from page_rows) as last_position,
      (select count(*) > rows_max from found_rows) as has_more
    from batch;
end
$$;
