-- A time in microseconds of the Unix epoch, the unit of all hits.
create or replace function epoch_us(moment timestamptz)
returns bigint
language sql
stable
parallel safe
as $$
  select floor(extract(epoch from moment) * 1000000)::bigint
$$;
