-- Removes idempotency keys older than `age`; admit has not heeded them since. Rows that admit has locked
-- are passed over, so that the two never wait for each other.
create or replace function remove_idempotency_keys(
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
  job constant text := 'idempotency keys';
  removed int;
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  delete from idempotency_keys
  where ctid = any (array(
    select old.ctid
    from idempotency_keys as old
    where old.happened_at <= moment - age
    order by old.happened_at
    limit row_limit
    for update skip locked
  ));
  get diagnostics removed = row_count;
  return end_job(job, moment, pause, removed = row_limit);
end
$$;
