-- Gives the agents that a key has connected, and the consents that are not redeemed yet, its new end where theirs is
-- later. The account is locked.
create or replace function shorten_agents_of(edited_key uuid, new_end timestamptz, actor text)
returns void
language plpgsql
as $$
begin
  update agent_connections
  set key_ends_at = new_end
  from agreed_by(edited_key) as waiting
  where agent_connections.code_hash = waiting.code_hash
    and agent_connections.key_id is null
    and agent_connections.key_ends_at > new_end;

  perform edit_key(keys.key_id, json_build_object('expires_at', new_end), shorten_agents_of.actor)
  from agreed_by(edited_key) as connected
  join api_keys as keys
    on keys.account_id = connected.account_id
    and keys.chain_id = connected.key_id
  where keys.revoked_at is null
    and (keys.expires_at is null or keys.expires_at > new_end);
end
$$;
