-- Removes a bounded number of index entries that no reader can need anymore: their batch has been removed, or was
-- retired too long ago for a cursor to use it.
create or replace function remove_filter_entries(
  moment timestamptz,
  grace interval,
  entries_max int
)
returns boolean
language plpgsql
as $$
declare
  index_id integer;
  entries_removed int;
  rows_removed int;
begin
  select filter_indexes.filter_index_id
  into index_id
  from filter_indexes
  left join batches
    on batches.feed_id = filter_indexes.feed_id
    and batches.batch_number = filter_indexes.batch_number
  where filter_indexes.batch_number > 0
    and (batches.batch_number is null or batches.retired_at < moment - grace)
  order by filter_indexes.filter_index_id
  limit 1
  for update of filter_indexes skip locked;
  if not found then
    return false;
  end if;

  entries_removed := remove_index_terms(index_id, entries_max);
  delete from replaced_rows
  where ctid = any (array(
    select replaced.ctid
    from replaced_rows as replaced
    where replaced.filter_index_id = index_id
    order by replaced.position
    limit entries_max
  ));
  get diagnostics rows_removed = row_count;
  if entries_removed < entries_max and rows_removed < entries_max then
    delete from filter_indexes
    where filter_indexes.filter_index_id = index_id;
  end if;
  return true;
end
$$;
