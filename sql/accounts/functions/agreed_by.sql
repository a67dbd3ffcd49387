-- The agents that were connected with a key, or with the keys that it has replaced.
--
-- key_id: the agent's first key; null until its code is redeemed
create or replace function agreed_by(agreeing_key uuid)
returns table (code_hash bytea, account_id uuid, key_id uuid)
language sql
stable
as $$
  select connected.code_hash, connected.account_id, connected.key_id
  from api_keys as agreeing
  join agent_connections as connected
    on connected.account_id = agreeing.account_id
  join api_keys as agreed
    on agreed.key_id = connected.agreed_key_id
    and agreed.chain_id = agreeing.chain_id
    and agreed.created_at <= agreeing.created_at
  where agreeing.key_id = agreeing_key
$$;
