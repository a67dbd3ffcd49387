-- The rows of a batch that meet every filter, in their order: the same as `row_matches` finds, faster.
--
-- Rows that the batch's filter index has under every filter are looked up, and compared, since terms are
-- hashes; those that came after it are looked through, where they are needed to fill the page. Where too
-- much came after, or there is no index, all are looked through: in order, so that frequent values are
-- found early.
-- Stable, so that index, rows and data version are seen at one moment.
--
-- Index and rows are never joined: where the rows are distributed they are on another server.
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
  position_max constant bigint := 9223372036854775807;
  index_id integer;
  terms integer[];
  alternatives jsonb[];
  -- Of the rarest filter that is known.
  own_alternatives jsonb[];
  is_one_filter constant boolean := cardinality(names) = 1;
  -- Of one filter each is a row that is fetched, of several few are.
  entries_most constant bigint := case when is_one_filter then 1000 else 10000 end;
  indexed_position bigint := 0;
  newest_position bigint;
  -- One filter alone mostly finds a row an entry.
  entries_max bigint := rows_max;
  -- Of several filters that whose entries bound the next piece.
  leader integer := 1;
  is_end boolean := false;
  end_position bigint;
  positions bigint[];
  last_position bigint := after_position;
  rows_wanted bigint := rows_max;
  rows_found bigint;
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = read_feed_id
    and filter_indexes.batch_number = read_batch;
  if found then
    select max(collection_rows.position)
    into newest_position
    from collection_rows
    where collection_rows.feed_id = read_feed_id
      and collection_rows.batch_number = read_batch;
    if indexed_position + unindexed_max < newest_position then
      index_id := null;
      indexed_position := 0;
    end if;
  end if;
  select lookups.terms, lookups.alternatives
  into terms, alternatives
  from filter_lookups(names, texts, literals) as lookups;
  own_alternatives := alternatives[leader:leader];

  while index_id is not null and not is_end loop
    if is_one_filter then
      select array_agg(entries.position order by entries.position)
      into positions
      from (
        select distinct looked_up.position
        from (select distinct unnest(terms)) as wanted (term)
        cross join lateral (
          select filter_terms.position
          from filter_terms
          where filter_terms.filter_index_id = index_id
            and filter_terms.term = wanted.term
            and filter_terms.event_at = '-infinity'
            and filter_terms.position > last_position
          order by filter_terms.position
          limit entries_max
        ) as looked_up
        order by looked_up.position
        limit entries_max
      ) as entries;
      exit when positions is null;
      is_end := cardinality(positions) < entries_max;
      last_position := positions[cardinality(positions)];
    else
      -- At most three times entries_max, since a filter has three terms.
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
      is_end := end_position is null;
      end_position := coalesce(end_position, position_max);
      select common.leader, common.positions
      into leader, positions
      from common_entries(
        index_id, terms, '-infinity', last_position + 1, '-infinity', end_position, entries_max, leader
      ) as common;
      last_position := end_position;
    end if;
    own_alternatives := alternatives[leader:leader];
    entries_max := least(4 * entries_max, greatest(entries_most, rows_max));
    continue when positions is null;

    if is_one_filter then
      return query
      select collection_rows.position, collection_rows.payload
      from collection_rows
      where collection_rows.feed_id = read_feed_id
        and collection_rows.batch_number = read_batch
        and collection_rows.position = any (positions)
        and payload_jsonb(collection_rows.payload) @> any (own_alternatives)
      order by collection_rows.position
      limit rows_wanted;
    else
      -- Of very many that match, no more are fetched than are wanted.
      return query
      select looked_up.row_position, looked_up.payload
      from look_up_rows(read_feed_id, read_batch, positions) as looked_up
      where payload_jsonb(looked_up.payload) @> any (own_alternatives)
        and row_matches(looked_up.payload, names, texts, literals)
      order by looked_up.place
      limit rows_wanted;
    end if;
    get diagnostics rows_found = row_count;
    rows_wanted := rows_wanted - rows_found;
    exit when rows_wanted = 0;
  end loop;

  if rows_wanted > 0 then
    return query
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = read_feed_id
      and collection_rows.batch_number = read_batch
      and collection_rows.position > greatest(after_position, coalesce(indexed_position, 0))
      and payload_jsonb(collection_rows.payload) @> any (own_alternatives)
      and (is_one_filter or row_matches(collection_rows.payload, names, texts, literals))
    order by collection_rows.position
    limit rows_wanted;
  end if;
end
$$;
