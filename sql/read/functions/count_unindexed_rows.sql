-- An upper bound of the rows of a batch (zero: of a stream) that its filter index lacks. It counts positions, and a
-- position may have been assigned without a row.
create or replace function count_unindexed_rows(counted_feed_id uuid, counted_batch bigint)
returns bigint
language plpgsql
stable
-- The ends of a batch are looked up by index, whatever the statistics said when the plan was made.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  first_position bigint := 1;
  newest_position bigint;
  index_id integer;
  indexed bigint;
  replaced bigint;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed
  from filter_indexes
  where filter_indexes.feed_id = counted_feed_id
    and filter_indexes.batch_number = counted_batch;
  if counted_batch = 0 then
    select feeds.next_position - 1
    into newest_position
    from feeds
    where feeds.feed_id = counted_feed_id;
  else
    select
      (
        select collection_rows.position
        from collection_rows
        where collection_rows.feed_id = counted_feed_id
          and collection_rows.batch_number = counted_batch
        order by collection_rows.position
        limit 1
      ),
      (
        select collection_rows.position
        from collection_rows
        where collection_rows.feed_id = counted_feed_id
          and collection_rows.batch_number = counted_batch
        order by collection_rows.position desc
        limit 1
      )
    into first_position, newest_position;
  end if;
  select count(*)
  into replaced
  from replaced_rows
  where replaced_rows.filter_index_id = index_id;
  return replaced + coalesce(newest_position - coalesce(indexed, first_position - 1), 0);
end
$$;
