-- The rows of a stream that meet every filter, newest first: the same as `row_matches` finds, faster.
--
-- As match_collection_rows, but for the order: what arrived after the index may belong anywhere in it,
-- so it is looked through first, and sorted in.
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
  index_id integer;
  indexed_position bigint;
  terms integer[];
  alternatives jsonb[];
  is_one_filter constant boolean := cardinality(names) = 1;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = 0
    and filter_indexes.indexed_position + unindexed_max >= (
      select max(stream_events.position)
      from stream_events
      where stream_events.feed_id = read_feed_id
    );
  select rarest.terms, rarest.alternatives
  into terms, alternatives
  from rarest_filter(index_id, names, texts, literals) as rarest;

  if index_id is null then
    return query
    select stream_events.event_at, stream_events.position, stream_events.payload
    from stream_events
    where stream_events.feed_id = read_feed_id
      and (stream_events.event_at, stream_events.position) < (before_event_at, before_position)
      and stream_events.event_at between start_time and end_time
      and stream_events.payload::jsonb @> any (alternatives)
      and (is_one_filter or row_matches(stream_events.payload, names, texts, literals))
    order by stream_events.event_at desc, stream_events.position desc
    limit rows_max;
    return;
  end if;

  return query
  select distinct on (matches.event_at, matches.position)
    matches.event_at, matches.position, matches.payload
  from (
    (
      select looked_up.event_at, looked_up.position, looked_up.payload
      from (select distinct unnest(terms)) as wanted (term)
      cross join lateral (
        select entries.event_at, entries.position, found.payload
        from (
          select filter_terms.event_at, filter_terms.position
          from filter_terms
          where filter_terms.filter_index_id = index_id
            and filter_terms.term = wanted.term
            and (filter_terms.event_at, filter_terms.position) < (before_event_at, before_position)
            and filter_terms.event_at between start_time and end_time
          order by filter_terms.event_at desc, filter_terms.position desc
          -- A fence: what is looked up leads, in its order, and each row follows by its key.
          offset 0
        ) as entries
        cross join lateral (
          select stream_events.payload
          from stream_events
          where stream_events.feed_id = read_feed_id
            and stream_events.event_at = entries.event_at
            and stream_events.position = entries.position
            and stream_events.payload::jsonb @> any (alternatives)
            and (is_one_filter or row_matches(stream_events.payload, names, texts, literals))
          offset 0
        ) as found
        order by entries.event_at desc, entries.position desc
        limit rows_max
      ) as looked_up
    )
    union all
    (
      select late.event_at, late.position, late.payload
      from (
        select stream_events.event_at, stream_events.position, stream_events.payload
        from stream_events
        where stream_events.feed_id = read_feed_id
          and stream_events.position > indexed_position
        order by stream_events.position
        offset 0
      ) as late
      where (late.event_at, late.position) < (before_event_at, before_position)
        and late.event_at between start_time and end_time
        and late.payload::jsonb @> any (alternatives)
        and (is_one_filter or row_matches(late.payload, names, texts, literals))
      order by late.event_at desc, late.position desc
      limit rows_max
    )
  ) as matches
  order by matches.event_at desc, matches.position desc
  limit rows_max;
end
$$;
