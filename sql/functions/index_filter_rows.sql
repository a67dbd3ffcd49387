-- Puts the next rows of a batch or stream into its filter index; true where there may be more.
--
-- It takes the feed's lock like a push: so no row changes under it, and index and position move as one.
-- A push that comes meanwhile waits for this one chunk, and never for several: where another process
-- indexes the feed, it is left to that one.
--
-- indexed_batch: zero for a stream
create or replace function index_filter_rows(
  indexed_feed_id uuid,
  indexed_batch bigint,
  rows_max int
)
returns boolean
language plpgsql
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  index_id integer;
  start_position bigint;
  end_position bigint;
  newest_position bigint;
  rows_found int;
  has_more boolean;
  times timestamptz[];
  positions bigint[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('index ' || indexed_feed_id, 0)) then
    return false;
  end if;
  select feeds.next_position - 1
  into newest_position
  from feeds
  where feeds.feed_id = indexed_feed_id
  for no key update;

  insert into filter_indexes (feed_id, batch_number)
  values (indexed_feed_id, indexed_batch)
  on conflict do nothing;
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, start_position
  from filter_indexes
  where filter_indexes.feed_id = indexed_feed_id
    and filter_indexes.batch_number = indexed_batch;

  if indexed_batch = 0 then
    end_position := least(start_position + rows_max, newest_position);
    if not are_arrivals_noted(indexed_feed_id, start_position, end_position) then
      end_position := least(end_position, note_arrivals(indexed_feed_id, start_position));
    end if;
    select array_agg(arrived.row_event_at), array_agg(arrived.row_position)
    into times, positions
    from arrivals_between(indexed_feed_id, start_position, end_position) as arrived;
    insert into filter_terms (filter_index_id, term, event_at, position)
    select index_id, row_terms.term, looked_up.row_event_at, looked_up.row_position
    from look_up_events(indexed_feed_id, times, positions) as looked_up
    cross join lateral row_terms(looked_up.payload) as row_terms (term)
    order by row_terms.term, looked_up.row_event_at, looked_up.row_position;
    delete from stream_arrivals
    where stream_arrivals.feed_id = indexed_feed_id
      and stream_arrivals.last_position <= end_position;
    has_more := end_position < newest_position;
  else
    select max(chunk.position), count(*)
    into end_position, rows_found
    from (
      select collection_rows.position
      from collection_rows
      where collection_rows.feed_id = indexed_feed_id
        and collection_rows.batch_number = indexed_batch
        and collection_rows.position > start_position
      order by collection_rows.position
      limit rows_max
    ) as chunk;
    insert into filter_terms (filter_index_id, term, event_at, position)
    select index_id, row_terms.term, '-infinity', collection_rows.position
    from collection_rows
    cross join lateral row_terms(collection_rows.payload) as row_terms (term)
    where collection_rows.feed_id = indexed_feed_id
      and collection_rows.batch_number = indexed_batch
      and collection_rows.position > start_position
      and collection_rows.position <= end_position
    order by row_terms.term, collection_rows.position;
    has_more := rows_found = rows_max;
  end if;

  update filter_indexes
  set indexed_position = coalesce(end_position, start_position)
  where filter_indexes.filter_index_id = index_id;
  return has_more;
end
$$;
