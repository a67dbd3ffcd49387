-- The chain of a key, for things that outlive a session: null for a session's key, which ends with the session.
create or replace function lasting_chain(chain uuid)
returns uuid
language sql
stable
as $$
  select case
    when not exists (select from api_keys where key_id = chain and for_session) then chain
  end
$$;
