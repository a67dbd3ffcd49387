-- Removes the notes of lost batches once no statement of theirs can be on its way any more.
create or replace function remove_lost_batches(
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
  job constant text := 'lost batches';
  removed int;
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  delete from lost_batches
  where ctid = any (array(
    select old.ctid
    from lost_batches as old
    where old.lost_at <= moment - age
    order by old.lost_at
    limit row_limit
  ));
  get diagnostics removed = row_count;
  return end_job(job, moment, pause, removed = row_limit);
end
$$;
