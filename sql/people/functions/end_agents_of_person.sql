-- Ends the agents that a person has connected to an account. The account is locked.
create or replace function end_agents_of_person(left_account uuid, leaving_person uuid, actor text)
returns void
language plpgsql
as $$
begin
  perform end_chain(connected.key_id, end_agents_of_person.actor)
  from agent_connections as connected
  where connected.account_id = left_account
    and connected.actor = 'console:person ' || leaving_person
    and connected.key_id is not null;
  delete from agent_connections
  where account_id = left_account
    and agent_connections.actor = 'console:person ' || leaving_person
    and key_id is null;
end
$$;
