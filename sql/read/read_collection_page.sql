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
-- $10 work_max bigint
-- $11 whole_max bigint
-- returns data_version bigint, batch_number bigint?, is_current boolean?, is_readable boolean?,
--   unindexed bigint, is_refused boolean, data text?, last_position bigint?, has_more boolean
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
matches as (
  select matched.row_position, matched.payload
  from match_collection_rows(
    $1, (select batch_number from batch where is_readable), $3, $4::bigint + $5::int + 1, $6, $7, $8,
    filter_work_max($1, (select batch_number from batch), $10, $11)
  ) as matched
  where cardinality($6::text[]) > 0
),
-- What an offset skips is not fetched.
page_start as (
  select collection_rows.position
  from collection_rows
  where collection_rows.feed_id = $1
    and collection_rows.batch_number = (select batch_number from batch where is_readable)
    and collection_rows.position > $3
  order by collection_rows.position
  offset $4
  limit 1
),
-- Of the two halves one is not run at all.
found_rows as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where cardinality($6) = 0
      and collection_rows.feed_id = $1
      and collection_rows.batch_number = (select batch_number from batch where is_readable)
      and collection_rows.position >= (select position from page_start)
    order by collection_rows.position
    limit $5::int + 1
  )
  union all
  (
    select matches.row_position, matches.payload
    from matches
    where matches.row_position is not null
    order by matches.row_position
    limit $5::int + 1
    offset $4
  )
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
  case when cardinality($6) > 0 then count_unindexed_rows($1, batch.batch_number) else 0 end
    as unindexed,
  exists (select from matches where row_position is null) as is_refused,
  (select string_agg(payload::text, ',' order by position) from page_rows) as data,
  (select max(position) from page_rows) as last_position,
  (select count(*) > $5 from found_rows) as has_more
from batch
