-- name: find_own_key
-- why: a key of an account that people created, and the number of its agents; no row for keys of agents and sessions
-- :account_id uuid
-- :key_id uuid
-- returns key_id uuid, key_start text, permission text, name text?, expires_at timestamptz?,
--   feed_ids text?, is_usable boolean, agents bigint
select
  keys.key_id,
  keys.key_start,
  keys.permission,
  keys.name,
  keys.expires_at,
  array_to_string(keys.feed_ids, ',') as feed_ids,
  is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp()) as is_usable,
  (
    select count(*)
    from agreed_by(keys.key_id) as agreed
    join agents_of(keys.account_id) as agents
      on agents.chain_id = agreed.key_id
  ) as agents
from api_keys as keys
where keys.account_id = :account_id
  and keys.key_id = :key_id
  and not keys.for_session
  and not exists (
    select
    from agent_connections as connected
    where connected.account_id = keys.account_id
      and connected.key_id = keys.chain_id
  )
