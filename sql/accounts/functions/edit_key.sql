-- Changes a key that was not revoked, or revokes it. No row comes back if there is none.
--
-- A new budget holds for the whole of today, so it begins with what the usage log has since midnight.
--
-- fields: what is to be changed and nothing else, as one JSON object: name, expires_at, revoked_at, daily_nanos,
--   feed_ids; null clears
create or replace function edit_key(edited_key uuid, fields json)
returns setof uuid
language plpgsql
as $$
declare
  edited api_keys;
begin
  perform lock_account_of_key(edited_key);
  update api_keys
  set (name, expires_at, revoked_at, daily_nanos, feed_ids) = (
    select
      wanted.name, wanted.expires_at, wanted.revoked_at, wanted.daily_nanos, wanted.feed_ids
    from json_populate_record(api_keys, fields) as wanted
  )
  where api_keys.key_id = edited_key
    and api_keys.revoked_at is null
  returning api_keys.* into edited;
  if not found then
    return;
  end if;
  if edited.daily_nanos is null then
    delete from key_spending
    where key_spending.account_id = edited.account_id
      and key_spending.key_id = edited_key;
  elsif fields -> 'daily_nanos' is not null then
    insert into key_spending as known (account_id, key_id, day, spent_nanos)
    select
      edited.account_id,
      edited_key,
      today.day,
      (
        select coalesce(sum(usage_events.charge_nanos), 0)
        from usage_events
        where usage_events.account_id = edited.account_id
          and usage_events.usage_id >= uuid_from_time(to_timestamp(today.day * 86400.0))
          and usage_events.key_id = edited_key
          and not usage_events.failed
      )
    from (select utc_day(epoch_us(clock_timestamp())) as day) as today
    on conflict (account_id, key_id) do update
    set day = excluded.day,
      spent_nanos = excluded.spent_nanos;
  end if;
  return next edited_key;
end
$$;
