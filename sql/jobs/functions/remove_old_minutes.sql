-- Removes totals by minute that are too old, a bounded piece at a time. True if more is left.
create or replace function remove_old_minutes(moment timestamptz, row_limit int)
returns boolean
language plpgsql
as $$
declare
  removed int;
begin
  delete from minute_totals
  where (minute, name) in (
    select minute, name
    from minute_totals
    where minute < moment - minutes_kept()
    order by minute
    limit row_limit
  );
  get diagnostics removed = row_count;
  return removed = row_limit;
end
$$;
