-- Switches a session to an account of its person, with keys that are created for the session and end with it.
--
-- Outcomes: entered; not_member; suspended; over (the session has ended)
create or replace function enter_account(
  held_session bytea, -- :session_hash
  entered_account uuid, -- :account_id
  read_hash bytea, -- :read_hash
  read_start text, -- :read_start
  sealed_read text, -- :sealed_read
  write_hash bytea, -- :write_hash
  write_start text, -- :write_start
  sealed_write text, -- :sealed_write
  out outcome text -- :outcome
)
language plpgsql
as $$
#variable_conflict use_column
declare
  session person_sessions;
  account accounts;
  read_key uuid;
  write_key uuid;
begin
  -- Locked before the membership is read, so that a removal comes either before or after the whole switch. The account
  -- that the session leaves is also locked, in the order of ids, so that two sessions that swap accounts never
  -- deadlock.
  perform
  from accounts
  where account_id in (
    entered_account,
    (select sessions.account_id from person_sessions as sessions where sessions.session_hash = held_session)
  )
  order by account_id
  for no key update;
  -- Locked, so that a concurrent sign-out sees the keys that are created here.
  select * into session
  from person_sessions
  where session_hash = held_session
    and expires_at > now()
  for update;
  if not found then
    outcome := 'over';
    return;
  end if;
  perform act_as('console:person ' || session.person_id);
  perform leave_account(session.person_id, held_session, null, null);
  select * into account
  from accounts
  where account_id = entered_account;
  if not exists (
    select from members where account_id = entered_account and person_id = session.person_id
  ) then
    outcome := 'not_member';
    return;
  end if;
  if account.suspension_reason is not null then
    outcome := 'suspended';
    return;
  end if;
  insert into api_keys (account_id, key_hash, key_start, permission, name, expires_at, for_session)
  values (entered_account, read_hash, read_start, 'read', 'Console', session.expires_at, true)
  returning key_id into read_key;
  insert into api_keys (account_id, key_hash, key_start, permission, name, expires_at, for_session)
  values (entered_account, write_hash, write_start, 'write', 'Console', session.expires_at, true)
  returning key_id into write_key;
  update person_sessions
  set account_id = entered_account,
    read_key_id = read_key,
    write_key_id = write_key,
    sealed_read_key = sealed_read,
    sealed_write_key = sealed_write
  where session_hash = held_session;
  perform take_access_invitations(session.person_id, entered_account);
  outcome := 'entered';
end
$$;
