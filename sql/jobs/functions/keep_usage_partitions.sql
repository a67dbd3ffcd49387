-- Makes the partitions of the usage log that will be needed next. Without one for the day, every read
-- would be refused.
create or replace function keep_usage_partitions(moment timestamptz, pause interval, months int)
returns boolean
language plpgsql
-- A new partition locks the log: better to try again later than to hold up the reads behind a long export.
set lock_timeout = '250ms'
as $$
declare
  job constant text := 'usage partitions';
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  perform create_usage_partitions(moment, months);
  return end_job(job, moment, pause, false);
end
$$;
