-- The rows of a stream at these times and positions, in the order of the arrays.
--
-- Each row is looked up separately by key, even with a plan that was made while the table was small. It is a single
-- query, so that PostgreSQL inlines it.
create or replace function look_up_events(
  read_feed_id uuid,
  times timestamptz[],
  positions bigint[]
)
returns table (place bigint, row_event_at timestamptz, row_position bigint, payload json)
language sql
stable
as $$
  select wanted.place, found_row.event_at, found_row.position, found_row.payload
  from unnest(times, positions) with ordinality as wanted (event_at, position, place)
  cross join lateral (
    select stream_events.event_at, stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = read_feed_id
      and stream_events.event_at = wanted.event_at
      and stream_events.position = wanted.position
    limit 1
  ) as found_row
$$;
