-- The UTC day of a time in microseconds of the Unix epoch, in days since the epoch.
create or replace function utc_day(moment_us bigint)
returns int
language sql
immutable
parallel safe
as $$
  select (moment_us / 86400000000)::int
$$;
