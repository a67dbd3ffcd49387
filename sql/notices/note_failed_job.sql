-- name: note_failed_job
-- why: notifies operators of a failing background job, once an hour for each job
-- :job text
-- :error text
-- returns name text
with marked as (
  insert into failed_jobs as known (name, told_at)
  values (:job, clock_timestamp())
  on conflict (name) do update
  set told_at = excluded.told_at
  where known.told_at <= excluded.told_at - interval '1 hour'
  returning name
),
noted as (
  insert into notices (type, permission, data)
  select 'job.failed', 'admin', json_build_object('job', :job::text, 'error', :error::text)
  from marked
)
select name
from marked
