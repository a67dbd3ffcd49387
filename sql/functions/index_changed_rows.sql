-- Keeps the filter index true where a push replaces rows in their place: what is looked up by the new
-- payload is added, what was by the old is taken out. Costs a look where the batch has no index.
create or replace function index_changed_rows()
returns trigger
language plpgsql
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_mergejoin = off
as $$
begin
  if not exists (
    select
    from filter_indexes
    where (filter_indexes.feed_id, filter_indexes.batch_number) in (
      select rows_after.feed_id, rows_after.batch_number
      from rows_after
    )
  ) then
    return null;
  end if;

  with entries_before as (
    select filter_indexes.filter_index_id, row_terms.term, rows_before.position
    from rows_before
    join filter_indexes
      on filter_indexes.feed_id = rows_before.feed_id
      and filter_indexes.batch_number = rows_before.batch_number
      and filter_indexes.indexed_position >= rows_before.position
    cross join lateral row_terms(rows_before.payload) as row_terms (term)
  ),
  entries_after as (
    select filter_indexes.filter_index_id, row_terms.term, rows_after.position
    from rows_after
    join filter_indexes
      on filter_indexes.feed_id = rows_after.feed_id
      and filter_indexes.batch_number = rows_after.batch_number
      and filter_indexes.indexed_position >= rows_after.position
    cross join lateral row_terms(rows_after.payload) as row_terms (term)
  ),
  removed as (
    delete from filter_terms
    using (
      select filter_index_id, term, position from entries_before
      except
      select filter_index_id, term, position from entries_after
    ) as gone
    where filter_terms.filter_index_id = gone.filter_index_id
      and filter_terms.term = gone.term
      and filter_terms.event_at = '-infinity'
      and filter_terms.position = gone.position
  )
  insert into filter_terms (filter_index_id, term, event_at, position)
  select added.filter_index_id, added.term, '-infinity', added.position
  from (
    select filter_index_id, term, position from entries_after
    except
    select filter_index_id, term, position from entries_before
  ) as added
  order by added.filter_index_id, added.term, added.position;
  return null;
end
$$;

create or replace trigger collection_rows_changed
after update on collection_rows
referencing old table as rows_before new table as rows_after
for each statement
execute function index_changed_rows();
