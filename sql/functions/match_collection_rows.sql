-- The rows of a batch that meet every filter, in their order: the same as `row_matches` finds, faster.
--
-- Rows that the batch's filter index holds are looked up by the rarest filter and compared; those that
-- came after it are looked through, where they are needed to fill the page. Where too much came after,
-- or there is no index, all are looked through: in order, so that frequent values are found early.
-- Stable, so that index, rows and data version are seen at one moment.
--
-- rows_max: rows wanted, those that the page skips included
-- unindexed_max: so many rows without an index may be looked through beside one
create or replace function match_collection_rows(
  read_feed_id uuid,
  read_batch bigint,
  after_position bigint,
  rows_max bigint,
  names text[],
  texts text[],
  literals jsonb[],
  unindexed_max bigint
)
returns table (row_position bigint, payload json)
language plpgsql
stable
-- The order of an index is the order of the page: nothing is to be read whole and sorted.
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
  terms integer[];
  alternatives jsonb[];
  is_one_filter constant boolean := cardinality(names) = 1;
  indexed_position bigint := 0;
  rows_found bigint := 0;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = read_batch
    and filter_indexes.indexed_position + unindexed_max >= (
      select max(collection_rows.position)
      from collection_rows
      where collection_rows.feed_id = read_feed_id
        and collection_rows.batch_number = read_batch
    );
  select rarest.terms, rarest.alternatives
  into terms, alternatives
  from rarest_filter(index_id, names, texts, literals) as rarest;

  if index_id is not null then
    return query
    select distinct on (matches.position) matches.position, matches.payload
    from (select distinct unnest(terms)) as wanted (term)
    cross join lateral (
      select entries.position, found.payload
      from (
        select filter_terms.position
        from filter_terms
        where filter_terms.filter_index_id = index_id
          and filter_terms.term = wanted.term
          and filter_terms.event_at = '-infinity'
          and filter_terms.position > after_position
        order by filter_terms.position
        -- A fence: what is looked up leads, in its order, and each row follows by its key.
        offset 0
      ) as entries
      cross join lateral (
        select collection_rows.payload
        from collection_rows
        where collection_rows.feed_id = read_feed_id
          and collection_rows.batch_number = read_batch
          and collection_rows.position = entries.position
          and collection_rows.payload::jsonb @> any (alternatives)
          and (is_one_filter or row_matches(collection_rows.payload, names, texts, literals))
        offset 0
      ) as found
      order by entries.position
      limit rows_max
    ) as matches
    order by matches.position
    limit rows_max;
    get diagnostics rows_found = row_count;
  end if;

  if rows_found < rows_max then
    return query
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = read_feed_id
      and collection_rows.batch_number = read_batch
      and collection_rows.position > greatest(after_position, coalesce(indexed_position, 0))
      and collection_rows.payload::jsonb @> any (alternatives)
      and (is_one_filter or row_matches(collection_rows.payload, names, texts, literals))
    order by collection_rows.position
    limit rows_max - rows_found;
  end if;
end
$$;
