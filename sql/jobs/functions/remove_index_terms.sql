-- Removes the first entries of a filter index, a bounded number of them. Returns how many it removed.
create or replace function remove_index_terms(index_id integer, entries_max int)
returns int
language plpgsql
as $$
declare
  removed int;
begin
  delete from filter_terms
  where ctid = any (array(
    select entries.ctid
    from filter_terms as entries
    where entries.filter_index_id = index_id
    order by entries.term, entries.event_at, entries.position
    limit entries_max
  ));
  get diagnostics removed = row_count;
  return removed;
end
$$;
