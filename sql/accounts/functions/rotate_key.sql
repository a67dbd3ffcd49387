-- Creates a key with the settings of another one, which ends after the grace period, or earlier if it was to expire
-- anyway. No row if the other one is not valid.
--
-- A key that was rotated before ends with its grace period. Its next successor has the expiry of the previous successor,
-- so that it does not end early as well.
--
-- Without a grace period, the old key is revoked, and the agents that it has connected end. Otherwise they stay, and
-- end with the keys that replace it.
--
-- All keys of a chain of rotations share one record of spending, so that a rotation does not provide a second budget.
create or replace function rotate_key(
  old_key uuid, -- :key_id
  new_hash bytea, -- :new_hash
  new_start text, -- :new_start
  grace interval, -- :grace
  actor text -- :actor?
)
returns setof uuid -- :key_id
language plpgsql
as $$
declare
  rotated api_keys;
  made_key uuid;
begin
  perform act_as(actor);
  perform lock_account_of_key(old_key);
  select *
  into rotated
  from api_keys
  where api_keys.key_id = old_key
    and is_usable_key(api_keys.revoked_at, api_keys.expires_at, clock_timestamp())
  for no key update;
  if not found then
    return;
  end if;
  insert into api_keys (
    account_id, key_hash, key_start, permission, name, expires_at, daily_nanos, feed_ids, replaces,
    first_key_id
  )
  select
    rotated.account_id, new_hash, new_start, rotated.permission, rotated.name,
    ends.expires_at, rotated.daily_nanos, rotated.feed_ids, old_key,
    rotated.chain_id
  from api_keys as ends
  where ends.account_id = rotated.account_id
    and old_key in (ends.key_id, ends.replaces)
  -- Its own expiry if it has no successor.
  order by ends.key_id = old_key, ends.created_at desc
  limit 1
  returning key_id into made_key;
  if grace <= interval '0' then
    perform edit_key(old_key, json_build_object('revoked_at', clock_timestamp()), actor);
  else
    update api_keys
    set expires_at = least(api_keys.expires_at, clock_timestamp() + grace)
    where api_keys.key_id = old_key;
  end if;
  return next made_key;
end
$$;
