-- How long totals by minute are kept. Totals by day are kept forever.
create or replace function minutes_kept()
returns interval
language sql
immutable
as $$
  select interval '7 days'
$$;
