-- The events of a stream that arrived after a position, up to another one, in the order of arrival. A position
-- that a duplicate or a removed event had belongs to none.
--
-- It is a single query, so that PostgreSQL inlines it. It is ordered, so that the index of positions is used if the
-- caller has switched sorting off.
create or replace function arrivals_between(
  asked_feed_id uuid,
  after_position bigint,
  up_to_position bigint
)
returns table (row_event_at timestamptz, row_position bigint, payload json)
language sql
stable
as $$
  select stream_events.event_at, stream_events.position, stream_events.payload
  from stream_events
  where stream_events.feed_id = asked_feed_id
    and stream_events.position > after_position
    and stream_events.position <= up_to_position
  order by stream_events.position
$$;
