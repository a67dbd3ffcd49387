-- Begins a session of a person, which is in no account yet. Removes expired sessions.
create or replace function begin_person_session(
  new_session bytea,
  entering_person uuid,
  lifetime interval
)
returns void
language plpgsql
as $$
begin
  delete from person_sessions
  where session_hash in (
    select expired.session_hash
    from person_sessions as expired
    where expired.expires_at < now()
    limit 100
    for update skip locked
  );
  insert into person_sessions (session_hash, person_id, expires_at)
  values (new_session, entering_person, now() + lifetime);
end
$$;
