-- name: read_stream_rows
-- why: a stream's rows with the requested ids, in request order, and the ids that it does not contain
-- :feed_id uuid
-- :row_ids text[]
-- returns data_version bigint, data text?, missing json
select
  feeds.data_version,
  found.data,
  coalesce(found.missing, '[]') as missing
from feeds
cross join lateral (
  select
    string_agg(stream_events.payload::text, ',' order by wanted.place) as data,
    json_agg(wanted.row_id order by wanted.place) filter (where stream_events.row_id is null)
      as missing
  from unnest(:row_ids::text[]) with ordinality as wanted (row_id, place)
  left join stream_events
    on stream_events.feed_id = :feed_id
    and stream_events.row_id = wanted.row_id
    and stream_events.event_at >= oldest_readable(feeds.retention_days)
) as found
where feeds.feed_id = :feed_id
