-- Removes rows from a filter index: the entries of the payloads that were indexed.
create or replace function remove_row_terms(
  index_id integer,
  times timestamptz[],
  positions bigint[],
  texts text[]
)
returns void
language plpgsql
-- Each entry is looked up by index, whatever the statistics said when the plan was made.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  delete from filter_terms
  where filter_terms.ctid = any (array(
    select entry.ctid
    from unnest(times, positions, texts) as before (event_at, position, payload)
    cross join lateral row_terms(before.payload::json) as row_terms (term)
    cross join lateral (
      select filter_terms.ctid
      from filter_terms
      where filter_terms.filter_index_id = index_id
        and filter_terms.term = row_terms.term
        and filter_terms.event_at = before.event_at
        and filter_terms.position = before.position
      limit 1
    ) as entry
  ));
end
$$;
