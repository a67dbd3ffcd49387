-- What a key has agreed to ends with it, so a connection knows the key.

-- Null: the key was made for a session that was signed out in good order, or the consent is older and its key is gone.
alter table agent_connections add column agreed_key_id uuid references api_keys;

update agent_connections
set agreed_key_id = api_keys.key_id
from api_keys
where api_keys.account_id = agent_connections.account_id
  and agent_connections.actor in ('key ' || api_keys.key_id, 'console:key ' || api_keys.key_id);
