-- Writes into stream_arrivals all that was pushed to a stream after a position, by looking at every key of
-- the stream. Called under the feed's lock.
create or replace function note_arrivals(noted_feed_id uuid, after_position bigint)
returns void
language plpgsql
as $$
declare
  -- What a look at a few of many rows must unpack.
  positions_each constant integer := 1000;
  times timestamptz[];
  positions bigint[];
begin
  select array_agg(stream_events.event_at), array_agg(stream_events.position)
  into times, positions
  from stream_events
  where stream_events.feed_id = noted_feed_id
    and stream_events.position > after_position;

  delete from stream_arrivals
  where stream_arrivals.feed_id = noted_feed_id;
  insert into stream_arrivals (feed_id, first_position, last_position, received_at, event_times)
  select
    noted_feed_id,
    min(places.position),
    max(places.position),
    '-infinity',
    array_agg(found_rows.event_at order by places.position)
  from feeds
  cross join lateral generate_series(after_position + 1, feeds.next_position - 1)
    as places (position)
  left join unnest(times, positions) as found_rows (event_at, position)
    on found_rows.position = places.position
  where feeds.feed_id = noted_feed_id
  group by places.position / positions_each;
end
$$;
