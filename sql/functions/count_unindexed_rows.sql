-- How many rows of a batch (zero: of a stream) its filter index lacks, at most: positions are counted,
-- and one may have been given out without a row.
create or replace function count_unindexed_rows(counted_feed_id uuid, counted_batch bigint)
returns bigint
language sql
stable
as $$
  select coalesce(newest.position, 0) - coalesce((
    select filter_indexes.indexed_position
    from filter_indexes
    where filter_indexes.feed_id = counted_feed_id
      and filter_indexes.batch_number = counted_batch
  ), newest.first_position - 1, 0)
  from (
    select
      case when counted_batch = 0 then stream.position else collection.position end,
      case when counted_batch = 0 then stream.first_position else collection.first_position end
    from (
      select max(stream_events.position), min(stream_events.position)
      from stream_events
      where stream_events.feed_id = counted_feed_id
    ) as stream (position, first_position)
    cross join (
      select max(collection_rows.position), min(collection_rows.position)
      from collection_rows
      where collection_rows.feed_id = counted_feed_id
        and collection_rows.batch_number = counted_batch
    ) as collection (position, first_position)
  ) as newest (position, first_position)
$$;
