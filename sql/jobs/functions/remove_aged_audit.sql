-- Removes events of the audit trail that are older than `age`, like `remove_aged_rows`, but none of the last day.
--
-- It runs with the rights of its owner: a gateway's role can append to the trail, but can't remove anything by itself.
create or replace function remove_aged_audit(
  moment timestamptz,
  age interval,
  row_limit int
)
returns boolean
language sql
security definer
set search_path from current
as $$
  select remove_aged_rows(
    least(moment, clock_timestamp() + age - interval '1 day'), age, row_limit, 'audit_events'
  )
$$;
