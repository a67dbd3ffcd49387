-- The keys of what was pushed to a stream after a position, up to another one; among them those of
-- duplicates, which no row has.
create or replace function arrivals_between(
  asked_feed_id uuid,
  after_position bigint,
  up_to_position bigint
)
returns table (row_event_at timestamptz, row_position bigint)
language sql
stable
as $$
  select
    coalesce(events.event_at, stream_arrivals.received_at),
    stream_arrivals.first_position + events.place - 1
  from stream_arrivals
  cross join lateral unnest(stream_arrivals.event_times) with ordinality as events (event_at, place)
  where stream_arrivals.feed_id = asked_feed_id
    and stream_arrivals.last_position > after_position
    and stream_arrivals.first_position <= up_to_position
    and stream_arrivals.first_position + events.place - 1 > after_position
    and stream_arrivals.first_position + events.place - 1 <= up_to_position
$$;
