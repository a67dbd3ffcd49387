-- name: read_stream_rows
-- why: a stream's rows with the ids asked for, in the order of the request
-- $1 feed_id uuid
-- $2 row_ids text[]
-- returns data_version bigint, data text?
select
  feeds.data_version,
  (
    select string_agg(stream_events.payload::text, ',' order by wanted.place)
    from unnest($2::text[]) with ordinality as wanted (row_id, place)
    join stream_events
      on stream_events.feed_id = $1
      and stream_events.row_id = wanted.row_id
      and stream_events.event_at >= oldest_readable(feeds.retention_days)
  ) as data
from feeds
where feeds.feed_id = $1
