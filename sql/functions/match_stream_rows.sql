-- The rows of a stream that meet every filter, newest first: the same as `row_matches` finds, faster.
--
-- As match_collection_rows, but for the order: what arrived after the index may belong anywhere in it,
-- so it is looked through too, and sorted in.
create or replace function match_stream_rows(
  read_feed_id uuid,
  before_event_at timestamptz,
  before_position bigint,
  start_time timestamptz,
  end_time timestamptz,
  rows_max bigint,
  names text[],
  texts text[],
  literals jsonb[],
  unindexed_max bigint
)
returns table (row_event_at timestamptz, row_position bigint, payload json)
language plpgsql
stable
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  position_max constant bigint := 9223372036854775807;
  index_id integer;
  indexed_position bigint;
  newest_position bigint;
  terms integer[];
  alternatives jsonb[];
  -- Of the rarest filter that is known.
  own_alternatives jsonb[];
  is_one_filter constant boolean := cardinality(names) = 1;
  -- Of one filter each is a row that is fetched, of several few are.
  entries_most constant bigint := case when is_one_filter then 1000 else 10000 end;
  entries_max bigint := rows_max;
  leader integer := 1;
  is_end boolean := false;
  end_event_at timestamptz;
  end_position bigint;
  times timestamptz[];
  positions bigint[];
  last_event_at timestamptz := before_event_at;
  last_position bigint := before_position;
  -- What arrived after the index and matches.
  late_times timestamptz[];
  late_positions bigint[];
  -- What was looked up and matches as well, and what one round of that adds.
  found_times timestamptz[] := '{}';
  found_positions bigint[] := '{}';
  matched_times timestamptz[];
  matched_positions bigint[];
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = 0;
  if found then
    select feeds.next_position - 1
    into newest_position
    from feeds
    where feeds.feed_id = read_feed_id;
    if indexed_position + unindexed_max < newest_position then
      index_id := null;
    end if;
  end if;
  select lookups.terms, lookups.alternatives
  into terms, alternatives
  from filter_lookups(names, texts, literals) as lookups;
  own_alternatives := alternatives[leader:leader];

  if index_id is null then
    return query
    select stream_events.event_at, stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = read_feed_id
      and (stream_events.event_at, stream_events.position) < (before_event_at, before_position)
      and stream_events.event_at between start_time and end_time
      and payload_jsonb(stream_events.payload) @> any (own_alternatives)
      and (is_one_filter or row_matches(stream_events.payload, names, texts, literals))
    order by stream_events.event_at desc, stream_events.position desc
    limit rows_max;
    return;
  end if;

  if end_time < before_event_at then
    last_event_at := end_time;
    last_position := position_max;
  end if;
  while not is_end loop
    if is_one_filter then
      select
        array_agg(entries.event_at order by entries.event_at desc, entries.position desc),
        array_agg(entries.position order by entries.event_at desc, entries.position desc)
      into times, positions
      from (
        select distinct looked_up.event_at, looked_up.position
        from (select distinct unnest(terms)) as wanted (term)
        cross join lateral (
          select filter_terms.event_at, filter_terms.position
          from filter_terms
          where filter_terms.filter_index_id = index_id
            and filter_terms.term = wanted.term
            and (filter_terms.event_at, filter_terms.position) < (last_event_at, last_position)
            and filter_terms.event_at between start_time and end_time
          order by filter_terms.event_at desc, filter_terms.position desc
          limit entries_max
        ) as looked_up
        order by looked_up.event_at desc, looked_up.position desc
        limit entries_max
      ) as entries;
      exit when positions is null;
      is_end := cardinality(positions) < entries_max;
      last_event_at := times[cardinality(times)];
      last_position := positions[cardinality(positions)];
    else
      -- At most three times entries_max, since a filter has three terms.
      select ends.event_at, ends.position
      into end_event_at, end_position
      from unnest(terms[leader:leader]) as wanted (term)
      cross join lateral (
        select filter_terms.event_at, filter_terms.position
        from filter_terms
        where filter_terms.filter_index_id = index_id
          and filter_terms.term = wanted.term
          and (filter_terms.event_at, filter_terms.position) < (last_event_at, last_position)
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
        index_id, terms, end_event_at, end_position, last_event_at, last_position - 1, entries_max,
        leader
      ) as common
      cross join lateral (
        select
          array_agg(entries.event_at order by entries.event_at desc, entries.position desc) as times,
          array_agg(entries.position order by entries.event_at desc, entries.position desc)
            as positions
        from unnest(common.times, common.positions) as entries (event_at, position)
      ) as newest_first;
      last_event_at := end_event_at;
      last_position := end_position;
    end if;
    own_alternatives := alternatives[leader:leader];
    entries_max := least(4 * entries_max, greatest(entries_most, rows_max));
    continue when positions is null;

    select array_agg(matches.event_at), array_agg(matches.position)
    into matched_times, matched_positions
    from (
      select looked_up.row_event_at as event_at, looked_up.row_position as position
      from look_up_events(read_feed_id, times, positions) as looked_up
      where payload_jsonb(looked_up.payload) @> any (own_alternatives)
        and (is_one_filter or row_matches(looked_up.payload, names, texts, literals))
      order by looked_up.place
      limit rows_max - cardinality(found_positions)
    ) as matches;
    found_times := found_times || coalesce(matched_times, '{}');
    found_positions := found_positions || coalesce(matched_positions, '{}');
    exit when cardinality(found_positions) >= rows_max;
  end loop;

  if are_arrivals_noted(read_feed_id, indexed_position, newest_position) then
    select array_agg(arrived.row_event_at), array_agg(arrived.row_position)
    into times, positions
    from arrivals_between(read_feed_id, indexed_position, newest_position) as arrived
    where (arrived.row_event_at, arrived.row_position) < (before_event_at, before_position)
      and arrived.row_event_at between start_time and end_time;
  else
    select array_agg(stream_events.event_at), array_agg(stream_events.position)
    into times, positions
    from stream_events
    where stream_events.feed_id = read_feed_id
      and (stream_events.event_at, stream_events.position) < (before_event_at, before_position)
      and stream_events.event_at between start_time and end_time
      and stream_events.position > indexed_position;
  end if;
  select array_agg(late.event_at), array_agg(late.position)
  into late_times, late_positions
  from (
    select looked_up.row_event_at as event_at, looked_up.row_position as position
    from look_up_events(read_feed_id, times, positions) as looked_up
    where payload_jsonb(looked_up.payload) @> any (own_alternatives)
      and (is_one_filter or row_matches(looked_up.payload, names, texts, literals))
    order by looked_up.row_event_at desc, looked_up.row_position desc
    limit rows_max
  ) as late;

  select array_agg(found_rows.event_at), array_agg(found_rows.position)
  into found_times, found_positions
  from (
    select found_rows.event_at, found_rows.position
    from unnest(found_times || late_times, found_positions || late_positions)
      as found_rows (event_at, position)
    order by found_rows.event_at desc, found_rows.position desc
    limit rows_max
  ) as found_rows;
  return query
  select looked_up.row_event_at, looked_up.row_position, looked_up.payload
  from look_up_events(read_feed_id, found_times, found_positions) as looked_up
  order by looked_up.row_event_at desc, looked_up.row_position desc;
end
$$;
