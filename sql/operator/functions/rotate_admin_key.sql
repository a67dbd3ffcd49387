-- Creates a key of an operator with the settings of another one, which ends after the grace period, or earlier if it
-- was to expire anyway. No row if the other one is not valid. As for accounts' keys, if a key is rotated again, its
-- next successor has the expiry of the previous successor.
create or replace function rotate_admin_key(
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
  rotated admin_keys;
  made_key uuid;
begin
  perform act_as(actor);
  select *
  into rotated
  from admin_keys
  where admin_keys.key_id = old_key
    and is_usable_key(admin_keys.revoked_at, admin_keys.expires_at, clock_timestamp())
  for no key update;
  if not found then
    return;
  end if;
  insert into admin_keys (key_hash, key_start, name, expires_at, replaces)
  select new_hash, new_start, rotated.name, ends.expires_at, old_key
  from admin_keys as ends
  where old_key in (ends.key_id, ends.replaces)
  -- Its own expiry if it has no successor.
  order by ends.key_id = old_key, ends.created_at desc
  limit 1
  returning key_id into made_key;
  update admin_keys
  set expires_at = least(admin_keys.expires_at, clock_timestamp() + grace)
  where admin_keys.key_id = old_key;
  return next made_key;
end
$$;
