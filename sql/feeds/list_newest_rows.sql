-- name: list_newest_rows
-- why: the rows of a feed that came last, of those that readers see; a singleton's document
-- $1 feed_id uuid
-- $2 rows_max int
-- returns payload json
with feed as (
  select feed_id, current_batch, retention_days
  from feeds
  where feed_id = $1
),
newest as (
  (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = $1
      and collection_rows.batch_number = (select current_batch from feed)
    order by collection_rows.position desc
    limit $2::int
  )
  union all
  (
    select stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = $1
      and stream_events.event_at >= oldest_readable((select retention_days from feed))
    order by stream_events.position desc
    limit $2::int
  )
  union all
  (
    select 1, documents.payload
    from documents
    where documents.feed_id = $1
  )
)
select payload
from newest
order by position desc
