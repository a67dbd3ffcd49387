-- The entries of a filter in the filter index from one to another, both included, oldest first if the caller orders by
-- them.
--
-- It is a single query, so that PostgreSQL inlines it. Each term is ordered separately, so that PostgreSQL recognizes
-- the index order, and merges the two.
--
-- terms: the two of the filter, see filter_lookups
create or replace function entries_between(
  index_id integer,
  terms integer[],
  first_time timestamptz,
  first_position bigint,
  last_time timestamptz,
  last_position bigint
)
returns table (row_event_at timestamptz, row_position bigint)
language sql
stable
as $$
  (
    select filter_terms.event_at, filter_terms.position
    from filter_terms
    where filter_terms.filter_index_id = index_id
      and filter_terms.term = terms[1][1]
      and (filter_terms.event_at, filter_terms.position) >= (first_time, first_position)
      and (filter_terms.event_at, filter_terms.position) <= (last_time, last_position)
    order by filter_terms.event_at, filter_terms.position
  )
  union all
  (
    select filter_terms.event_at, filter_terms.position
    from filter_terms
    where filter_terms.filter_index_id = index_id
      and filter_terms.term = terms[1][2]
      and (filter_terms.event_at, filter_terms.position) >= (first_time, first_position)
      and (filter_terms.event_at, filter_terms.position) <= (last_time, last_position)
    order by filter_terms.event_at, filter_terms.position
  )
$$;
