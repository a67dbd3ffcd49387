-- Sets what a key has spent today to what the usage log has, because a budget holds for the whole of the day on
-- which it is set. The caller holds the account's lock.
create or replace function begin_key_budget(limited_account uuid, limited_key uuid)
returns void
language sql
as $$
  insert into key_spending as known (account_id, key_id, day, spent_nanos)
  select
    limited_account,
    limited_key,
    today.day,
    (
      select coalesce(sum(usage_events.charge_nanos), 0)
      from usage_events
      where usage_events.account_id = limited_account
        and usage_events.usage_id >= uuid_from_time(to_timestamp(today.day * 86400.0))
        and usage_events.key_id = limited_key
        and not usage_events.failed
    )
  from (select utc_day(epoch_us(clock_timestamp())) as day) as today
  on conflict (account_id, key_id) do update
  set day = excluded.day,
    spent_nanos = excluded.spent_nanos
$$;
