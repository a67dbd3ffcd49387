-- How many rows of a batch (zero: of a stream) its filter index lacks, at most: positions are counted,
-- and one may have been given out without a row.
create or replace function count_unindexed_rows(counted_feed_id uuid, counted_batch bigint)
returns bigint
language plpgsql
stable
as $$
declare
  first_position bigint;
  newest_position bigint;
  indexed bigint;
begin
  if counted_batch = 0 then
    select min(stream_events.position), max(stream_events.position)
    into first_position, newest_position
    from stream_events
    where stream_events.feed_id = counted_feed_id;
  else
    select min(collection_rows.position), max(collection_rows.position)
    into first_position, newest_position
    from collection_rows
    where collection_rows.feed_id = counted_feed_id
      and collection_rows.batch_number = counted_batch;
  end if;
  select filter_indexes.indexed_position
  into indexed
  from filter_indexes
  where filter_indexes.feed_id = counted_feed_id
    and filter_indexes.batch_number = counted_batch;
  return coalesce(newest_position - coalesce(indexed, first_position - 1), 0);
end
$$;
