-- name: read_collection_rows
-- why: the current batch's rows with the ids asked for, in the order of the request
-- $1 feed_id uuid
-- $2 row_ids text[]
-- returns data_version bigint, data text?
with feed as (
  select data_version, current_batch
  from feeds
  where feed_id = $1
)
select
  feed.data_version,
  (
    select string_agg(collection_rows.payload::text, ',' order by wanted.place)
    from unnest($2::text[]) with ordinality as wanted (row_id, place)
    join collection_rows
      on collection_rows.feed_id = $1
      and collection_rows.batch_number = (select current_batch from feed)
      and collection_rows.row_id = wanted.row_id
  ) as data
from feed
