-- Notes the platform's fee from now on, if it is another than before. The time is taken under a lock that excludes the
-- job of the totals. Where the clock was set back, the rate begins after the last sale that was counted, and after the
-- last rate. So whatever has been counted was sold before it, at the rate that it was counted with, and a refund has
-- the rate of its sale. When the rate began, or will.
create or replace function keep_fee_rate(rate int)
returns timestamptz
language plpgsql
as $$
declare
  begins_at timestamptz;
begin
  -- First without the lock, as each start but the first ends here.
  select since into begins_at
  from (select since, rate_millionths from fee_rates order by since desc limit 1) as last_rate
  where rate_millionths = rate;
  if found then
    return begins_at;
  end if;
  perform pg_advisory_xact_lock(7306929);
  insert into fee_rates (since, rate_millionths)
  select
    greatest(
      clock_timestamp(),
      last_rate.since + interval '1 microsecond',
      (
        select time_of_uuid(counted_to) + interval '1 millisecond'
        from counted_accounts
        order by counted_to desc
        limit 1
      ),
      (select max(purchased_at) + interval '1 microsecond' from purchases)
    ),
    rate
  from (select since, rate_millionths from fee_rates order by since desc limit 1) as last_rate
  where last_rate.rate_millionths <> rate;
  select max(since) into strict begins_at
  from fee_rates;
  return begins_at;
end
$$;
