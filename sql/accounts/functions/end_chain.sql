-- Revokes all keys of a chain of rotations that are not revoked yet.
create or replace function end_chain(first_key uuid, actor text)
returns void
language plpgsql
as $$
begin
  perform lock_account_of_key(first_key);
  perform edit_key(keys.key_id, json_build_object('revoked_at', clock_timestamp()), actor)
  from api_keys as keys
  where keys.account_id = (select api_keys.account_id from api_keys where api_keys.key_id = first_key)
    and keys.chain_id = first_key
    and keys.revoked_at is null;
end
$$;
