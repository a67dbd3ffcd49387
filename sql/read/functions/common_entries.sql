-- The entries common to all filters between two entries of the filter index, both included, oldest first. So no row is
-- fetched that fails a filter.
--
-- The entries of every term have the same order, so those of the two rarest filters are merged, which costs a tenth of
-- a look-up by key. The result is merged with the other filters' entries. If a filter has many times as many entries,
-- each entry is looked up there, so the leader's entries bound the cost.
--
-- terms: two for each filter, see filter_lookups
-- leader: in, the filter whose entries bound this piece (about entries_max of them); out, a rarer one if there is one
-- times, positions: null if there are no more
create or replace function common_entries(
  index_id integer,
  terms integer[],
  first_time timestamptz,
  first_position bigint,
  last_time timestamptz,
  last_position bigint,
  entries_max bigint,
  inout leader integer,
  out times timestamptz[],
  out positions bigint[]
)
language plpgsql
stable
-- Whatever the statistics say, entries are merged in index order, and lateral ones are looked up.
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_nestloop = off
set enable_hashagg = off
set enable_sort = off
set enable_memoize = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Of a look-up, in entries that are merged.
  lookup_cost constant bigint := 16;
  filters constant integer := array_length(terms, 1);
  -- Of each filter there, counted to where it is looked up.
  entries_found bigint[] := array_fill(entries_max, array[filters]);
  -- The rarest filter other than the leader.
  rarest integer;
begin
  for other in 1 .. filters loop
    continue when other = leader;
    entries_found[other] := (
      select count(*)
      from (
        select
        from entries_between(
          index_id, terms[other:other], first_time, first_position, last_time, last_position
        )
        limit lookup_cost * entries_max
      ) as entries
    );
    if rarest is null or entries_found[other] < entries_found[rarest] then
      rarest := other;
    end if;
  end loop;

  if entries_found[rarest] < lookup_cost * entries_max then
    select array_agg(common.row_event_at), array_agg(common.row_position)
    into times, positions
    from (
      select led.row_event_at, led.row_position
      from entries_between(
        index_id, terms[leader:leader], first_time, first_position, last_time, last_position
      ) as led
      intersect
      select of_rarest.row_event_at, of_rarest.row_position
      from entries_between(
        index_id, terms[rarest:rarest], first_time, first_position, last_time, last_position
      ) as of_rarest
      order by row_event_at, row_position
    ) as common;
  else
    rarest := leader;
    select array_agg(led.row_event_at), array_agg(led.row_position)
    into times, positions
    from (
      select distinct entries.row_event_at, entries.row_position
      from entries_between(
        index_id, terms[leader:leader], first_time, first_position, last_time, last_position
      ) as entries
      order by entries.row_event_at, entries.row_position
    ) as led;
  end if;

  for other in 1 .. filters loop
    exit when positions is null;
    continue when other in (leader, rarest);
    -- A filter that was found to have more was not counted further.
    if entries_found[other] < lookup_cost * least(cardinality(positions), entries_max) then
      select array_agg(common.event_at), array_agg(common.position)
      into times, positions
      from (
        select given.event_at, given.position
        from unnest(times, positions) as given (event_at, position)
        intersect
        select entries.row_event_at, entries.row_position
        from entries_between(
          index_id, terms[other:other], first_time, first_position, last_time, last_position
        ) as entries
        order by event_at, position
      ) as common;
    else
      select array_agg(common.event_at), array_agg(common.position)
      into times, positions
      from (
        select given.event_at, given.position
        from unnest(times, positions) with ordinality as given (event_at, position, place)
        cross join lateral (
          select
          from filter_terms
          where filter_terms.filter_index_id = index_id
            and filter_terms.term = any (terms[other:other])
            and filter_terms.event_at = given.event_at
            and filter_terms.position = given.position
          limit 1
        ) as entry
        order by given.place
      ) as common;
    end if;
  end loop;
  if entries_found[rarest] < entries_max then
    leader := rarest;
  end if;
end
$$;
