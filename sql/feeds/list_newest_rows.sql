-- name: list_newest_rows
-- why: the newest of a feed's visible rows, or a singleton's document
-- :feed_id uuid
-- :rows_max int
-- returns payload json
with feed as (
  select feed_id, current_batch, retention_days
  from feeds
  where feed_id = :feed_id
),
newest as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = :feed_id
      and collection_rows.batch_number = (select current_batch from feed)
    order by collection_rows.position desc
    limit :rows_max::int
  )
  union all
  (
    select stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = :feed_id
      and stream_events.event_at >= oldest_readable((select retention_days from feed))
    order by stream_events.position desc
    limit :rows_max::int
  )
  union all
  (
    select 1, documents.payload
    from documents
    where documents.feed_id = :feed_id
  )
)
select payload
from newest
order by position desc
