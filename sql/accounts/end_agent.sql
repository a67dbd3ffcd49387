-- name: end_agent
-- why: revokes the key of an account's agent; no row if there is no such agent
-- An agent may end only itself, by the chain of its keys. An agent that has already ended also returns a row, so that
-- the call may be repeated.
-- :account_id uuid
-- :key_id uuid
-- :chain_id uuid?
-- :actor text?
-- returns key_id uuid
select agent.key_id
from (
  select keys.key_id
  from api_keys as keys
  join agent_connections as connected
    on connected.account_id = keys.account_id
    and connected.key_id = keys.chain_id
  where keys.account_id = :account_id
    and keys.key_id = :key_id
    and (:chain_id::uuid is null or keys.chain_id = :chain_id)
) as agent
cross join lateral edit_key(agent.key_id, json_build_object('revoked_at', clock_timestamp()), :actor) as edited
