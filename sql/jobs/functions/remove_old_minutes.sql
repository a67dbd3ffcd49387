-- Removes totals by minute that are too old, in bounded pieces. Returns true if more is left.
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
