-- How long totals by minute are kept. Those by day are kept for good.
create or replace function minutes_kept()
returns interval
language sql
immutable
as $$
  select interval '7 days'
$$;
