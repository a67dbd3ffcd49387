-- The valid keys of an account that agents got by OAuth, newest first, including keys that replaced another one by
-- rotation.
create or replace function agents_of(owner_id uuid)
returns table (
  key_id uuid,
  chain_id uuid,
  name text,
  created_at timestamptz,
  expires_at timestamptz,
  daily_nanos bigint,
  feed_ids uuid[]
)
language sql
stable
as $$
  select
    keys.key_id,
    keys.chain_id,
    keys.name,
    keys.created_at,
    keys.expires_at,
    keys.daily_nanos,
    keys.feed_ids
  from agent_connections as connected
  join api_keys as keys
    on keys.account_id = connected.account_id
    and keys.chain_id = connected.key_id
  where connected.account_id = owner_id
    and connected.key_id is not null
    and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
  order by keys.created_at desc, keys.key_id
$$;
