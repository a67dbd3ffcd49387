-- name: find_absent_field
-- why: the first of some names that no row of a batch (0: of a stream) has, if that can be told, with names that the
-- newest rows have
-- $1 feed_id uuid
-- $2 batch_number bigint
-- $3 names text[]
-- $4 work_max bigint
-- $5 unindexed_max bigint
-- $6 names_max int
-- returns data_version bigint, absent text?, present json?, schema_definition json?
with newest as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = $1
      and collection_rows.batch_number = $2
    order by collection_rows.position desc
    limit 20
  )
  union all
  (
    select stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = $1
      and $2::bigint = 0
    order by stream_events.position desc
    limit 20
  )
),
feed as materialized (
  select
    feeds.data_version,
    feeds.schema_definition,
    absent_field($1, $2, $3, $4, $5) as absent
  from feeds
  where feeds.feed_id = $1
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
        limit $6::int
      ) as named
    )
  end as present,
  case when feed.absent is not null then feed.schema_definition end as schema_definition
from feed
