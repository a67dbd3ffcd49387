-- Records the platform's fee from now on, if it differs from the current one. The time is taken under a lock that
-- excludes the job of the totals. If the clock was set back, the rate begins after the last counted sale and after the
-- last rate. So everything that was counted was sold before the new rate, at the rate that it was counted with, and a
-- refund has the rate of its sale. Returns when the rate began, or will begin.
create or replace function keep_fee_rate(rate int)
returns timestamptz
language plpgsql
as $$
declare
  begins_at timestamptz;
begin
  -- First without the lock, because every start except the first ends here.
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
