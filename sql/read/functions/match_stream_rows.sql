-- The rows of a stream that meet every filter, newest first: the same result as `row_matches`, but faster.
--
-- Like match_collection_rows, except for the order: rows that arrived after the index was built may belong anywhere in
-- it, so all of them are scanned. If there are too many for that, or if there is no index, rows are scanned in page
-- order, which finds frequent values early.
create or replace function match_stream_rows(
  read_feed_id uuid,
  before_event_at timestamptz,
  before_position bigint,
  start_time timestamptz,
  rows_max bigint,
  names text[],
  texts text[],
  literals jsonb[],
  work_max bigint
)
returns table (row_event_at timestamptz, row_position bigint, payload json)
language plpgsql
stable
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  row_cost constant bigint := filter_row_cost();
  -- Events up to which looking up each costs less than scanning all.
  arrived_max constant bigint := 10000;
  terms constant integer[] := filter_lookups(names, texts, literals);
  work_left bigint := work_max;
  rows_left bigint := rows_max;
  index_id integer;
  indexed_position bigint;
  newest_position bigint;
  entries_max bigint := rows_max;
  leader integer := 1;
  is_end boolean := false;
  end_event_at timestamptz;
  end_position bigint;
  times timestamptz[];
  positions bigint[];
  found_times timestamptz[] := '{}';
  found_positions bigint[] := '{}';
  unindexed record;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = 0;
  select feeds.next_position - 1
  into newest_position
  from feeds
  where feeds.feed_id = read_feed_id;

  if index_id is null or newest_position - indexed_position > least(work_max / row_cost, arrived_max)
  then
    for unindexed in
      select stream_events.event_at, stream_events.position, stream_events.payload
      from stream_events
      where stream_events.feed_id = read_feed_id
        and (stream_events.event_at, stream_events.position) < (before_event_at, before_position)
        and stream_events.event_at >= start_time
      order by stream_events.event_at desc, stream_events.position desc
    loop
      row_event_at := null;
      row_position := null;
      payload := null;
      work_left := work_left - row_cost - octet_length(unindexed.payload::text);
      if work_left < 0 then
        return next;
        return;
      end if;
      if row_matches(unindexed.payload, names, texts, literals) then
        row_event_at := unindexed.event_at;
        row_position := unindexed.position;
        payload := unindexed.payload;
        return next;
        rows_left := rows_left - 1;
        exit when rows_left = 0;
      end if;
    end loop;
    return;
  end if;

  select array_agg(arrived.event_at), array_agg(arrived.position)
  into times, positions
  from (
    -- Ordered, so that the index of positions is used.
    select stream_events.event_at, stream_events.position
    from stream_events
    where stream_events.feed_id = read_feed_id
      and stream_events.position > indexed_position
      and stream_events.position <= newest_position
    order by stream_events.position
  ) as arrived
  where (arrived.event_at, arrived.position) < (before_event_at, before_position)
    and arrived.event_at >= start_time;
  for unindexed in
    select looked_up.row_event_at, looked_up.row_position, looked_up.payload
    from look_up_events(read_feed_id, times, positions) as looked_up
    order by looked_up.row_event_at desc, looked_up.row_position desc
  loop
    work_left := work_left - row_cost - octet_length(unindexed.payload::text);
    if work_left < 0 then
      return next;
      return;
    end if;
    if row_matches(unindexed.payload, names, texts, literals) then
      found_times := found_times || unindexed.row_event_at;
      found_positions := found_positions || unindexed.row_position;
      exit when cardinality(found_positions) = rows_max;
    end if;
  end loop;

  while not is_end and rows_left > 0 loop
    -- At most twice entries_max, because a filter has two terms.
    select ends.event_at, ends.position
    into end_event_at, end_position
    from unnest(terms[leader:leader]) as wanted (term)
    cross join lateral (
      select filter_terms.event_at, filter_terms.position
      from filter_terms
      where filter_terms.filter_index_id = index_id
        and filter_terms.term = wanted.term
        and (filter_terms.event_at, filter_terms.position) < (before_event_at, before_position)
        and filter_terms.event_at >= start_time
      order by filter_terms.event_at desc, filter_terms.position desc
      offset entries_max - 1
      limit 1
    ) as ends
    order by ends.event_at desc, ends.position desc
    limit 1;
    is_end := end_position is null;
    end_event_at := coalesce(end_event_at, start_time);
    end_position := coalesce(end_position, 0);
    select common.leader, newest_first.times, newest_first.positions
    into leader, times, positions
    from common_entries(
      index_id, terms, end_event_at, end_position, before_event_at, before_position - 1, entries_max, leader
    ) as common
    cross join lateral (
      select
        array_agg(entries.event_at order by entries.event_at desc, entries.position desc) as times,
        array_agg(entries.position order by entries.event_at desc, entries.position desc) as positions
      from unnest(common.times, common.positions) as entries (event_at, position)
    ) as newest_first;
    before_event_at := end_event_at;
    before_position := end_position;
    entries_max := filter_piece_max(entries_max, rows_max, cardinality(names));

    select
      found_times || array_agg(matches.row_event_at),
      found_positions || array_agg(matches.row_position),
      rows_left - count(*)
    into found_times, found_positions, rows_left
    from (
      select looked_up.row_event_at, looked_up.row_position
      from look_up_events(read_feed_id, times, positions) as looked_up
      where row_matches(looked_up.payload, names, texts, literals)
      order by looked_up.place
      limit rows_left
    ) as matches;
  end loop;

  return query
  select looked_up.row_event_at, looked_up.row_position, looked_up.payload
  from look_up_events(read_feed_id, found_times, found_positions) as looked_up
  order by looked_up.row_event_at desc, looked_up.row_position desc
  limit rows_max;
end
$$;
