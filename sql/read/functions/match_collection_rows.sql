-- The rows of a batch that meet every filter, in order: the same result as `row_matches`, but faster.
--
-- Rows that the filter index has for every filter are fetched and compared, because terms are hashes. Rows that are not
-- in the index are scanned: those that were replaced since, and those after it. If there is more to scan than work_max,
-- a row of nulls reports that, and other rows may be missing. The function is stable, so that index, rows, and data
-- version are from one snapshot.
--
-- rows_max: rows wanted, including those that the page skips
-- work_max: of what is scanned, bytes, plus filter_row_cost per row
create or replace function match_collection_rows(
  read_feed_id uuid,
  read_batch bigint,
  after_position bigint,
  rows_max bigint,
  names text[],
  texts text[],
  literals jsonb[],
  work_max bigint
)
returns table (row_position bigint, payload json)
language plpgsql
stable
-- The index order is the page order, so nothing must be read completely and sorted.
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
  terms constant integer[] := filter_lookups(names, texts, literals);
  work_left bigint := work_max;
  index_id integer;
  indexed_position bigint;
  entries_max bigint := rows_max;
  -- The filter whose entries bound the next piece.
  leader integer := 1;
  end_position bigint;
  last_position bigint := after_position;
  positions bigint[];
  matched bigint[];
  found_positions bigint[] := '{}';
  unindexed record;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = read_batch;

  -- No more than can be scanned.
  select array_agg(replaced.position)
  into positions
  from (
    select replaced_rows.position
    from replaced_rows
    where replaced_rows.filter_index_id = index_id
      and replaced_rows.position > after_position
    order by replaced_rows.position
    limit work_max / row_cost + 1
  ) as replaced;
  for unindexed in
    select looked_up.row_position, looked_up.payload
    from look_up_rows(read_feed_id, read_batch, positions) as looked_up
    order by looked_up.place
  loop
    work_left := work_left - row_cost - octet_length(unindexed.payload::text);
    if work_left < 0 then
      return next;
      return;
    end if;
    if row_matches(unindexed.payload, names, texts, literals) then
      found_positions := found_positions || unindexed.row_position;
    end if;
  end loop;

  while index_id is not null and last_position is not null
    and coalesce(cardinality(matched), 0) < rows_max
  loop
    -- At most twice entries_max, because a filter has two terms.
    select ends.position
    into end_position
    from unnest(terms[leader:leader]) as wanted (term)
    cross join lateral (
      select filter_terms.position
      from filter_terms
      where filter_terms.filter_index_id = index_id
        and filter_terms.term = wanted.term
        and filter_terms.event_at = '-infinity'
        and filter_terms.position > last_position
      order by filter_terms.position
      offset entries_max - 1
      limit 1
    ) as ends
    order by ends.position
    limit 1;
    select common.leader, common.positions
    into leader, positions
    from common_entries(
      index_id, terms, '-infinity', last_position + 1, '-infinity',
      coalesce(end_position, indexed_position), entries_max, leader
    ) as common;
    last_position := end_position;
    entries_max := filter_piece_max(entries_max, rows_max, cardinality(names));

    select matched || array_agg(matches.row_position)
    into matched
    from (
      select looked_up.row_position
      from look_up_rows(read_feed_id, read_batch, positions) as looked_up
      where row_matches(looked_up.payload, names, texts, literals)
      order by looked_up.place
      limit rows_max - coalesce(cardinality(matched), 0)
    ) as matches;
  end loop;

  -- The index may still have a replaced row for a field that did not change.
  select coalesce(array_agg(found_rows.position order by found_rows.position), '{}')
  into found_positions
  from (
    select unnest(found_positions) as position
    union
    select unnest(matched)
    order by position
    limit rows_max
  ) as found_rows;
  return query
  select looked_up.row_position, looked_up.payload
  from look_up_rows(read_feed_id, read_batch, found_positions) as looked_up
  order by looked_up.place;

  if cardinality(found_positions) = rows_max then
    return;
  end if;
  rows_max := rows_max - cardinality(found_positions);
  for unindexed in
    select collection_rows.position as row_position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = read_feed_id
      and collection_rows.batch_number = read_batch
      and collection_rows.position > greatest(after_position, coalesce(indexed_position, 0))
    order by collection_rows.position
  loop
    row_position := null;
    payload := null;
    work_left := work_left - row_cost - octet_length(unindexed.payload::text);
    if work_left < 0 then
      return next;
      return;
    end if;
    if row_matches(unindexed.payload, names, texts, literals) then
      row_position := unindexed.row_position;
      payload := unindexed.payload;
      return next;
      rows_max := rows_max - 1;
      exit when rows_max = 0;
    end if;
  end loop;
end
$$;
