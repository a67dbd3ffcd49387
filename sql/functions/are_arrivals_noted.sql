-- Whether stream_arrivals has all that was pushed to a stream after a position; false where a gateway of a
-- version before that table pushed.
create or replace function are_arrivals_noted(noted_feed_id uuid, after_position bigint)
returns boolean
language sql
stable
as $$
  select feeds.next_position - 1 - after_position = coalesce((
    select sum(
      stream_arrivals.last_position - greatest(stream_arrivals.first_position - 1, after_position)
    )
    from stream_arrivals
    where stream_arrivals.feed_id = noted_feed_id
      and stream_arrivals.last_position > after_position
  ), 0)
  from feeds
  where feeds.feed_id = noted_feed_id
$$;
