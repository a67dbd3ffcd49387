-- name: find_absent_field
-- why: the first of some names that no row of a batch (0: of a stream) has, if known
-- Also returns names that the newest rows have.
-- :feed_id uuid
-- :batch_number bigint
-- :names text[]
-- :work_max bigint
-- :unindexed_max bigint
-- :names_max int
-- returns data_version bigint, absent text?, present json?, schema_definition json?
with newest as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = :feed_id
      and collection_rows.batch_number = :batch_number
    order by collection_rows.position desc
    limit 20
  )
  union all
  (
    select stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = :feed_id
      and :batch_number::bigint = 0
    order by stream_events.position desc
    limit 20
  )
),
feed as materialized (
  select
    feeds.data_version,
    feeds.schema_definition,
    absent_field(:feed_id, :batch_number, :names, :work_max, :unindexed_max) as absent
  from feeds
  where feeds.feed_id = :feed_id
)
select
  feed.data_version,
  feed.absent,
  case
    when feed.absent is not null then (
      select json_agg(named.name)
      from (
        select fields.name
        from newest
        cross join lateral json_object_keys(newest.payload) with ordinality as fields (name, place)
        group by fields.name
        order by min(fields.place), fields.name
        limit :names_max::int
      ) as named
    )
  end as present,
  case when feed.absent is not null then feed.schema_definition end as schema_definition
from feed
