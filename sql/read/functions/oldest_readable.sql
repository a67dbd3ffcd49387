-- The time of the oldest event of a stream that may still be read.
create or replace function oldest_readable(retention_days integer)
returns timestamptz
language sql
stable
as $$
  select coalesce(
    clock_timestamp() - make_interval(days => retention_days),
    '-infinity'::timestamptz
  )
$$;
