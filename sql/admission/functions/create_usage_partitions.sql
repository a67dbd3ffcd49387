-- Creates the monthly partitions of the usage log from the month of `starting` on, `months` ahead. A partition is a
-- range of UUIDv7, whose first 48 bits are milliseconds of the Unix epoch.
--
-- It runs with the rights of its owner, so that a gateway whose role can't change the schema gets its partitions.
create or replace function create_usage_partitions(starting timestamptz, months int)
returns void
language plpgsql
security definer
set search_path from current
as $$
declare
  month_start timestamptz;
  partition_name text;
begin
  for month in 0..months loop
    month_start := date_trunc('month', starting at time zone 'UTC') at time zone 'UTC'
      + make_interval(months => month);
    partition_name := 'usage_events_' || to_char(month_start at time zone 'UTC', 'YYYY_MM');
    if to_regclass(partition_name) is not null then
      continue;
    end if;
    -- Another process may be creating it, in which case it exists once we have the lock on the log.
    lock table only usage_events in access exclusive mode;
    if to_regclass(partition_name) is null then
      execute format(
        'create table %I partition of usage_events for values from (%L) to (%L)',
        partition_name,
        uuid_from_time(month_start),
        uuid_from_time(month_start + interval '1 month')
      );
    end if;
  end loop;
end
$$;
