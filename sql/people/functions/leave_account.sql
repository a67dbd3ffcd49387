-- Takes a person's sessions out of the account that they act in, and revokes the keys that were created for them there.
-- Agents that were connected in these sessions stay.
--
-- one_session: only this session; null: all sessions of the person in `left_account`
-- left_account: null for any account
create or replace function leave_account(
  leaving_person uuid,
  one_session bytea,
  left_account uuid,
  actor text
)
returns void
language plpgsql
as $$
declare
  held record;
begin
  for held in
    select sessions.session_hash, sessions.account_id, sessions.read_key_id, sessions.write_key_id
    from person_sessions as sessions
    where sessions.person_id = leaving_person
      and (one_session is null or sessions.session_hash = one_session)
      and sessions.account_id is not null
      and (left_account is null or sessions.account_id = left_account)
    order by sessions.account_id, sessions.session_hash
  loop
    perform edit_key(ended.key_id, json_build_object('revoked_at', clock_timestamp()), actor)
    from unnest(array[held.read_key_id, held.write_key_id]) as ended (key_id);
    update person_sessions
    set account_id = null,
      read_key_id = null,
      write_key_id = null,
      sealed_read_key = null,
      sealed_write_key = null
    where session_hash = held.session_hash;
  end loop;
end
$$;
