-- Adds the next rows of a batch or stream to its filter index: those that were replaced since they were indexed, or
-- else those after the index. Returns true if there may be more.
--
-- The names of their fields are also recorded (filter_name), so that a filter by a name that no row has can be refused.
--
-- A step is limited by the bytes of its rows, and so by their terms. No push waits for it. Rows of a stream never
-- change. Rows of a collection may, so the feed is locked, but only briefly at the end, to check that they did not. If
-- they did, the step is undone. If another process is indexing the batch, it is left to that one.
--
-- indexed_batch: zero for a stream
-- work_max: of the rows of a step, bytes, plus filter_row_cost per row
create or replace function index_filter_rows(
  indexed_feed_id uuid, -- :feed_id
  indexed_batch bigint, -- :batch_number
  work_max bigint -- :work_max
)
returns boolean -- :has_more
language plpgsql
-- Rows are read in key order, whatever the statistics said when the plan was made.
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  row_cost constant bigint := filter_row_cost();
  work_left bigint := work_max;
  index_id integer;
  end_position bigint;
  start_position bigint;
  has_all_names boolean;
  step_position bigint;
  newest_position bigint;
  next_row record;
  text_now text;
  -- The rows of the step. texts_before is empty unless they were replaced.
  times timestamptz[] := '{}';
  positions bigint[] := '{}';
  texts text[] := '{}';
  texts_before text[] := '{}';
begin
  insert into filter_indexes (feed_id, batch_number)
  values (indexed_feed_id, indexed_batch)
  on conflict do nothing;
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, end_position
  from filter_indexes
  where filter_indexes.feed_id = indexed_feed_id
    and filter_indexes.batch_number = indexed_batch
  for update skip locked;
  if not found then
    return false;
  end if;

  start_position := end_position;
  has_all_names := start_position = 0 or exists (
    select
    from filter_terms
    where filter_terms.filter_index_id = index_id
      and filter_terms.term = filter_names_mark()
      and filter_terms.event_at = '-infinity'
      and filter_terms.position = -start_position - 1
  );

  if indexed_batch = 0 then
    select feeds.next_position - 1
    into newest_position
    from feeds
    where feeds.feed_id = indexed_feed_id;
    step_position := least(end_position + work_max / row_cost + 1, newest_position);
    for next_row in
      select stream_events.event_at, stream_events.position, stream_events.payload
      from stream_events
      where stream_events.feed_id = indexed_feed_id
        and stream_events.position > end_position
        and stream_events.position <= step_position
      order by stream_events.position
    loop
      times := times || next_row.event_at;
      positions := positions || next_row.position;
      texts := texts || next_row.payload::text;
      work_left := work_left - row_cost - octet_length(next_row.payload::text);
      exit when work_left <= 0;
    end loop;
    end_position := case
      when work_left <= 0 then positions[cardinality(positions)]
      else step_position
    end;
  else
    for next_row in
      select replaced_rows.position, replaced_rows.payload
      from replaced_rows
      where replaced_rows.filter_index_id = index_id
      order by replaced_rows.position
    loop
      select looked_up.payload::text
      into text_now
      from look_up_rows(indexed_feed_id, indexed_batch, array[next_row.position]) as looked_up;
      if not found then
        -- A batch whose rows are being removed needs no index.
        return false;
      end if;
      positions := positions || next_row.position;
      texts := texts || text_now;
      texts_before := texts_before || next_row.payload::text;
      work_left := work_left - row_cost - octet_length(text_now)
        - octet_length(next_row.payload::text);
      exit when work_left <= 0;
    end loop;
    if cardinality(positions) = 0 then
      for next_row in
        select collection_rows.position, collection_rows.payload
        from collection_rows
        where collection_rows.feed_id = indexed_feed_id
          and collection_rows.batch_number = indexed_batch
          and collection_rows.position > end_position
        order by collection_rows.position
      loop
        positions := positions || next_row.position;
        texts := texts || next_row.payload::text;
        work_left := work_left - row_cost - octet_length(next_row.payload::text);
        end_position := next_row.position;
        exit when work_left <= 0;
      end loop;
    end if;
    times := array_fill('-infinity'::timestamptz, array[cardinality(positions)]);
  end if;

  begin
    if cardinality(texts_before) > 0 then
      perform remove_row_terms(index_id, times, positions, texts_before);
    end if;
    insert into filter_terms (filter_index_id, term, event_at, position)
    select index_id, row_terms.term, rows_now.event_at, rows_now.position
    from unnest(times, positions, texts) as rows_now (event_at, position, payload)
    cross join lateral row_terms(rows_now.payload::json) as row_terms (term)
    order by row_terms.term, rows_now.event_at, rows_now.position;
    insert into filter_terms (filter_index_id, term, event_at, position)
    select index_id, filter_name(names.name), '-infinity', 0
    from (
      select distinct json_object_keys(rows_now.payload::json) as name
      from unnest(texts) as rows_now (payload)
    ) as names
    order by filter_name(names.name)
    on conflict do nothing;
    if has_all_names then
      delete from filter_terms
      where filter_terms.filter_index_id = index_id
        and filter_terms.term = filter_names_mark()
        and filter_terms.event_at = '-infinity'
        and filter_terms.position = -start_position - 1;
      insert into filter_terms (filter_index_id, term, event_at, position)
      values (index_id, filter_names_mark(), '-infinity', -end_position - 1)
      on conflict do nothing;
    end if;

    if indexed_batch > 0 and cardinality(positions) > 0 then
      perform
      from feeds
      where feeds.feed_id = indexed_feed_id
      for no key update;
      if texts is distinct from (
        select array_agg(looked_up.payload::text order by looked_up.place)
        from look_up_rows(indexed_feed_id, indexed_batch, positions) as looked_up
      ) then
        raise sqlstate 'FG002';
      end if;
    end if;
  exception when sqlstate 'FG002' then
    return true;
  end;

  delete from replaced_rows
  where replaced_rows.filter_index_id = index_id
    and replaced_rows.position = any (positions);
  update filter_indexes
  set indexed_position = end_position
  where filter_indexes.filter_index_id = index_id;
  return work_left <= 0
    or cardinality(texts_before) > 0
    or coalesce(end_position < newest_position, false);
end
$$;
