-- name: read_collection_page
-- why: a page of a collection's batch in order of arrival; one row more than asked says has_more
-- :feed_id uuid
-- :batch_number bigint?
-- :after_position bigint
-- :offset bigint
-- :limit int
-- :names text[]
-- :texts text[]
-- :literals jsonb[]
-- :grace interval
-- :work_max bigint
-- :whole_max bigint
-- returns data_version bigint, batch_number bigint?, is_current boolean?, is_readable boolean?,
--   unindexed bigint, is_refused boolean, data text?, last_position bigint?, has_more boolean
with batch as (
  select
    feeds.feed_id,
    feeds.data_version,
    batches.batch_number,
    batches.batch_number = feeds.current_batch as is_current,
    batches.batch_number = feeds.current_batch
      or batches.retired_at > clock_timestamp() - :grace::interval as is_readable
  from feeds
  left join batches
    on batches.feed_id = feeds.feed_id
    and batches.batch_number = coalesce(:batch_number, feeds.current_batch)
  where feeds.feed_id = :feed_id
),
matches as (
  select matched.row_position, matched.payload
  from match_collection_rows(
    read_feed_id => :feed_id,
    read_batch => (select batch_number from batch where is_readable),
    after_position => :after_position,
    rows_max => :offset::bigint + :limit::int + 1,
    names => :names,
    texts => :texts,
    literals => :literals,
    work_max => filter_work_max(:feed_id, (select batch_number from batch), :work_max, :whole_max)
  ) as matched
  where cardinality(:names::text[]) > 0
),
-- What an offset skips is not fetched.
page_start as (
  select collection_rows.position
  from collection_rows
  where collection_rows.feed_id = :feed_id
    and collection_rows.batch_number = (select batch_number from batch where is_readable)
    and collection_rows.position > :after_position
  order by collection_rows.position
  offset :offset
  limit 1
),
-- PostgreSQL runs only one of the two halves.
found_rows as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where cardinality(:names) = 0
      and collection_rows.feed_id = :feed_id
      and collection_rows.batch_number = (select batch_number from batch where is_readable)
      and collection_rows.position >= (select position from page_start)
    order by collection_rows.position
    limit :limit::int + 1
  )
  union all
  (
    select matches.row_position, matches.payload
    from matches
    where matches.row_position is not null
    order by matches.row_position
    limit :limit::int + 1
    offset :offset
  )
),
page_rows as (
  select position, payload
  from found_rows
  order by position
  limit :limit
)
select
  batch.data_version,
  batch.batch_number,
  batch.is_current,
  batch.is_readable,
  case when cardinality(:names) > 0 then count_unindexed_rows(:feed_id, batch.batch_number) else 0 end
    as unindexed,
  exists (select from matches where row_position is null) as is_refused,
  (select string_agg(payload::text, ',' order by position) from page_rows) as data,
  (select max(position) from page_rows) as last_position,
  (select count(*) > :limit from found_rows) as has_more
from batch
