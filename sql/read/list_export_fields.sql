-- name: list_export_fields
-- why: the fields of an export's first rows, in order of first occurrence: the columns if no schema names any
-- :feed_id uuid
-- :batch_number bigint
-- :last_position bigint
-- :oldest_event timestamptz
-- :rows_max int
-- :fields_max int
-- returns name text
with first_rows as (
  -- PostgreSQL runs only one of the two halves.
  (
    select stream_events.position, stream_events.payload
    from stream_events
    where :batch_number::bigint = 0
      and stream_events.feed_id = :feed_id
      and stream_events.position <= :last_position
      and stream_events.event_at >= :oldest_event
    order by stream_events.position
    limit :rows_max::int
  )
  union all
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where :batch_number::bigint <> 0
      and collection_rows.feed_id = :feed_id
      and collection_rows.batch_number = :batch_number
      and collection_rows.position <= :last_position
    order by collection_rows.position
    limit :rows_max::int
  )
)
select fields.name
from first_rows
cross join lateral json_object_keys(first_rows.payload) with ordinality as fields (name, place)
group by fields.name
order by min(first_rows.position), min(fields.place)
limit :fields_max::int
