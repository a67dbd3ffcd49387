-- Whether stream_arrivals has all that was pushed to a stream after a position, up to another one; false
-- where a gateway of a version before that table pushed.
create or replace function are_arrivals_noted(
  noted_feed_id uuid,
  after_position bigint,
  up_to_position bigint
)
returns boolean
language sql
stable
as $$
  select coalesce(sum(
    least(stream_arrivals.last_position, up_to_position)
      - greatest(stream_arrivals.first_position - 1, after_position)
  ), 0) = up_to_position - after_position
  from stream_arrivals
  where stream_arrivals.feed_id = noted_feed_id
    and stream_arrivals.last_position > after_position
    and stream_arrivals.first_position <= up_to_position
$$;
