-- The first of these names that no row of a batch (zero: of a stream) has. Null if each exists, or if that is not
-- known. Called when a filter found nothing.
--
-- A small feed is scanned completely. For a large one, the filter index has the names, and unindexed rows are scanned
-- if there are few.
--
-- work_max: of a small feed, bytes, plus filter_row_cost per row
-- unindexed_max: unindexed rows that are allowed
create or replace function absent_field(
  read_feed_id uuid,
  read_batch bigint,
  names text[],
  work_max bigint,
  unindexed_max bigint
)
returns text
language plpgsql
stable
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  is_small constant boolean := filter_work_max(read_feed_id, read_batch, -1, work_max) >= 0;
  index_id integer;
  -- Rows up to it need not be scanned.
  known_position bigint := 0;
  is_there boolean;
begin
  if not is_small then
    select filter_indexes.filter_index_id, filter_indexes.indexed_position
    into index_id, known_position
    from filter_indexes
    where filter_indexes.feed_id = read_feed_id
      and filter_indexes.batch_number = read_batch;
    if index_id is null
      or count_unindexed_rows(read_feed_id, read_batch) > unindexed_max
      or not exists (
        select
        from filter_terms
        where filter_terms.filter_index_id = index_id
          and filter_terms.term = filter_names_mark()
          and filter_terms.event_at = '-infinity'
          and filter_terms.position = -known_position - 1
      )
    then
      return null;
    end if;
  end if;

  for number in 1 .. cardinality(names) loop
    is_there := index_id is not null and (
      exists (
        select
        from filter_terms
        where filter_terms.filter_index_id = index_id
          and filter_terms.term = filter_name(names[number])
          and filter_terms.event_at = '-infinity'
          and filter_terms.position = 0
      )
      or exists (
        select
        from look_up_rows(
          read_feed_id,
          read_batch,
          array(
            select replaced_rows.position
            from replaced_rows
            where replaced_rows.filter_index_id = index_id
          )
        ) as looked_up
        where looked_up.payload -> names[number] is not null
      )
    );
    if not is_there and read_batch = 0 then
      is_there := exists (
        select
        from stream_events
        where stream_events.feed_id = read_feed_id
          and stream_events.position > known_position
          and stream_events.payload -> names[number] is not null
      );
    elsif not is_there then
      is_there := exists (
        select
        from collection_rows
        where collection_rows.feed_id = read_feed_id
          and collection_rows.batch_number = read_batch
          and collection_rows.position > known_position
          and collection_rows.payload -> names[number] is not null
      );
    end if;
    if not is_there then
      return names[number];
    end if;
  end loop;
  return null;
end
$$;
