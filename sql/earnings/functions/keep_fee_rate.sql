-- Notes the platform's fee from now on, if it is another than before. The time is taken under a lock that excludes the
-- job of the totals. So whatever has been counted was sold before it, at the rate that it was counted with.
create or replace function keep_fee_rate(rate int)
returns void
language plpgsql
as $$
begin
  if rate = (select rate_millionths from fee_rates order by since desc limit 1) then
    return;
  end if;
  perform pg_advisory_xact_lock(7306929);
  insert into fee_rates (since, rate_millionths)
  select clock_timestamp(), rate
  where rate <> (select rate_millionths from fee_rates order by since desc limit 1)
  on conflict (since) do update
  set rate_millionths = excluded.rate_millionths;
end
$$;
