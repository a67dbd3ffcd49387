-- Removes the rows of a table that are older than `age`, the oldest first, a bounded piece at a time. Rows
-- that are locked are passed over until the next pass, so that nobody waits for this, nor this for anybody.
--
-- aged_table, aged_column: where the rows are, and what tells how old they are; it has an index
create or replace function remove_aged_rows(
  job text,
  aged_table text,
  aged_column text,
  moment timestamptz,
  pause interval,
  age interval,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  removed int;
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  execute format(
    $remove$
      delete from %1$I
      where ctid = any (array(
        select aged.ctid
        from %1$I as aged
        where aged.%2$I <= $1
        order by aged.%2$I
        limit $2
        for update skip locked
      ))
    $remove$,
    aged_table,
    aged_column
  )
  using moment - age, row_limit;
  get diagnostics removed = row_count;
  return end_job(job, moment, pause, removed = row_limit);
end
$$;
