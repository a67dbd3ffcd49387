-- Removes the rows of a table that are older than `age`, oldest first, in bounded pieces. Locked rows are skipped until
-- the next pass, so that nothing waits for this function, or this function for anything.
--
-- aged_table: must have an index on happened_at
create or replace function remove_aged_rows(
  moment timestamptz,
  age interval,
  row_limit int,
  aged_table text
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  removed int;
begin
  execute format(
    $remove$
      delete from %1$I
      where ctid = any (array(
        select aged.ctid
        from %1$I as aged
        where aged.happened_at <= $1
        order by aged.happened_at
        limit $2
        for update skip locked
      ))
    $remove$,
    aged_table
  )
  using moment - age, row_limit;
  get diagnostics removed = row_count;
  return removed = row_limit;
end
$$;
