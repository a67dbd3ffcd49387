-- Takes the turn at a job until the end of the transaction: its mark, or null if the job is not due
-- or another process runs it. No job pauses for a day, so a job that is due later than that was noted by a
-- clock that was ahead.
create or replace function begin_job(job text, moment timestamptz, out mark text)
language plpgsql
as $$
#variable_conflict use_column
begin
  select maintenance_jobs.mark into mark
  from maintenance_jobs
  where maintenance_jobs.name = job
    and (
      maintenance_jobs.due_at <= moment
      or maintenance_jobs.due_at > moment + interval '1 day'
    )
  for update skip locked;
  if found then
    return;
  end if;
  insert into maintenance_jobs (name)
  values (job)
  on conflict (name) do nothing
  returning maintenance_jobs.mark into mark;
end
$$;
