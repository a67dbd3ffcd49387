-- The chain of a key, for what outlives a session: null for a key of a session, which ends with it.
create or replace function lasting_chain(chain uuid)
returns uuid
language sql
stable
as $$
  select case
    when not exists (select from api_keys where key_id = chain and for_session) then chain
  end
$$;
