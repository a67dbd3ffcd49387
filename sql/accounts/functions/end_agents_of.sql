-- Ends the agents that a revoked key has connected. The account is locked.
create or replace function end_agents_of(revoked_key uuid, actor text)
returns void
language plpgsql
as $$
begin
  perform end_chain(connected.key_id, end_agents_of.actor)
  from agreed_by(revoked_key) as connected
  where connected.key_id is not null;
end
$$;
