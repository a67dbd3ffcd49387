-- Ends a step of a job: notes how far it has come or, if nothing is left, when the next pass begins.
-- Returns whether more is left.
--
-- new_mark: where the next step goes on
-- first_mark: where the next pass begins
create or replace function end_job(
  job text,
  moment timestamptz,
  pause interval,
  is_more boolean,
  new_mark text default '',
  first_mark text default ''
)
returns boolean
language sql
as $$
  update maintenance_jobs
  set mark = case when is_more then new_mark else first_mark end,
    due_at = case when is_more then due_at else moment + pause end
  where name = job
  returning is_more
$$;
