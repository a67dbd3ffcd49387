-- name: read_collection_rows
-- why: the current batch's rows with the requested ids, in request order, and the ids that it does not contain
-- :feed_id uuid
-- :row_ids text[]
-- returns data_version bigint, data text?, missing json
with feed as (
  select data_version, current_batch
  from feeds
  where feed_id = :feed_id
)
select
  feed.data_version,
  found.data,
  coalesce(found.missing, '[]') as missing
from feed
cross join lateral (
  select
    string_agg(collection_rows.payload::text, ',' order by wanted.place) as data,
    json_agg(wanted.row_id order by wanted.place) filter (where collection_rows.row_id is null)
      as missing
  from unnest(:row_ids::text[]) with ordinality as wanted (row_id, place)
  left join collection_rows
    on collection_rows.feed_id = :feed_id
    and collection_rows.batch_number = feed.current_batch
    and collection_rows.row_id = wanted.row_id
) as found
