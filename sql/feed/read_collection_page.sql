-- name: read_collection_page
-- why: a page of a collection's batch in order of arrival; one row more than asked says has_more
-- $1 feed_id uuid
-- $2 batch_number bigint?
-- $3 after_position bigint
-- $4 offset bigint
-- $5 limit int
-- $6 names text[]
-- $7 texts text[]
-- $8 literals jsonb[]
-- $9 grace interval
-- returns data_version bigint, batch_number bigint?, is_current boolean?, is_readable boolean?,
--   data text?, row_count int, last_position bigint?, has_more boolean
with batch as (
  select
    feeds.feed_id,
    feeds.data_version,
    batches.batch_number,
    batches.batch_number = feeds.current_batch as is_current,
    batches.batch_number = feeds.current_batch
      or batches.retired_at > clock_timestamp() - $9::interval as is_readable
  from feeds
  left join batches
    on batches.feed_id = feeds.feed_id
    and batches.batch_number = coalesce($2, feeds.current_batch)
  where feeds.feed_id = $1
),
found_rows as (
  select
    collection_rows.position,
    collection_rows.payload
  from collection_rows
  where collection_rows.feed_id = $1
    and collection_rows.batch_number = (select batch_number from batch where is_readable)
    and collection_rows.position > $3
    and (
      cardinality($6::text[]) = 0
      or row_matches(collection_rows.payload, $6, $7, $8)
    )
  order by collection_rows.position
  limit $5::int + 1
  offset $4
),
page_rows as (
  select position, payload
  from found_rows
  order by position
  limit $5
)
select
  batch.data_version,
  batch.batch_number,
  batch.is_current,
  batch.is_readable,
  (select string_agg(payload::text, ',' order by position) from page_rows) as data,
  (select count(*)::int from page_rows) as row_count,
  (select max(position) from page_rows) as last_position,
  (select count(*) > $5 from found_rows) as has_more
from batch
