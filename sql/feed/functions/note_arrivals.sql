-- Where stream_arrivals lacks what was pushed to a stream right after a position, writes it there, a
-- bounded piece, by looking at every key of the stream. Called under the feed's lock.
--
-- Returns the position up to which all after the first one is noted now.
create or replace function note_arrivals(noted_feed_id uuid, after_position bigint)
returns bigint
language plpgsql
-- Off in the function that calls it, whose own joins are of few rows with many.
set enable_hashjoin = on
as $$
declare
  -- To look at ten million keys takes about two seconds, for few positions or for many.
  positions_most constant integer := 100000;
  -- What a look at a few of many rows must unpack.
  positions_each constant integer := 1000;
  noted record;
  up_to_position bigint;
  times timestamptz[];
  positions bigint[];
begin
  select stream_arrivals.first_position, stream_arrivals.last_position
  into noted
  from stream_arrivals
  where stream_arrivals.feed_id = noted_feed_id
    and stream_arrivals.last_position > after_position
  order by stream_arrivals.last_position
  limit 1;
  if noted.first_position <= after_position + 1 then
    return noted.last_position;
  end if;
  select least(
    after_position + positions_most, coalesce(noted.first_position, feeds.next_position) - 1
  )
  into up_to_position
  from feeds
  where feeds.feed_id = noted_feed_id;

  select array_agg(stream_events.event_at), array_agg(stream_events.position)
  into times, positions
  from stream_events
  where stream_events.feed_id = noted_feed_id
    and stream_events.position > after_position
    and stream_events.position <= up_to_position;
  insert into stream_arrivals (feed_id, first_position, last_position, received_at, event_times)
  select
    noted_feed_id,
    min(places.position),
    max(places.position),
    '-infinity',
    array_agg(found_rows.event_at order by places.position)
  from generate_series(after_position + 1, up_to_position) as places (position)
  left join unnest(times, positions) as found_rows (event_at, position)
    on found_rows.position = places.position
  group by places.position / positions_each;
  return up_to_position;
end
$$;
