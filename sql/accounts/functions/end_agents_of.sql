-- Ends the agents that a revoked key has connected: by itself, or by the keys that it has replaced. The account is locked.
create or replace function end_agents_of(revoked_key uuid, actor text)
returns void
language plpgsql
as $$
begin
  perform end_chain(connected.key_id, end_agents_of.actor)
  from api_keys as revoked
  join agent_connections as connected
    on connected.account_id = revoked.account_id
    and connected.key_id is not null
  join api_keys as agreed
    on agreed.key_id = connected.agreed_key_id
    and agreed.chain_id = revoked.chain_id
    and agreed.created_at <= revoked.created_at
  where revoked.key_id = revoked_key;
end
$$;
