-- The number of an account's valid keys, without those of agents and of sessions.
create or replace function count_own_keys(owner_id uuid)
returns bigint
language sql
stable
as $$
  select count(*)
  from api_keys as keys
  where keys.account_id = owner_id
    and not keys.for_session
    and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
    and not exists (
      select
      from agent_connections as connected
      where connected.account_id = owner_id
        and connected.key_id = keys.chain_id
    )
$$;
