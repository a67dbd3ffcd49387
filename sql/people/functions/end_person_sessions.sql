-- Ends one session of a person, or all of them, with the keys that were created for them.
create or replace function end_person_sessions(
  held_session bytea, -- :session_hash
  is_everywhere boolean -- :is_everywhere
)
returns void
language plpgsql
as $$
declare
  leaving uuid;
  held record;
begin
  select sessions.person_id
  into leaving
  from person_sessions as sessions
  where sessions.session_hash = held_session;
  if not found then
    return;
  end if;
  perform leave_account(
    leaving,
    case when not is_everywhere then held_session end,
    null,
    'console:person ' || leaving
  );
  for held in
    delete from person_sessions
    where person_id = leaving
      and (is_everywhere or session_hash = held_session)
    returning read_key_id, write_key_id
  loop
    -- Keys that the session was given in the meantime.
    perform edit_key(
      ended.key_id,
      json_build_object('revoked_at', clock_timestamp()),
      'console:person ' || leaving
    )
    from unnest(array[held.read_key_id, held.write_key_id]) as ended (key_id)
    where ended.key_id is not null;
  end loop;
end
$$;
