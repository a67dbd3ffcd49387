-- name: find_person_session
-- why: the person of a session, and the account that the session acts in, if it still may
-- The role is the current one. Without a role, the person is signed in, but acts in no account.
-- :session_hash bytea
-- returns person_id uuid, person_name text, address text, address_key text, expires_at timestamptz, account_id uuid?,
--   account_name text?, role text?, suspension_reason text?, read_key_id uuid?, write_key_id uuid?,
--   sealed_read_key text?, sealed_write_key text?
select
  persons.person_id,
  persons.name as person_name,
  persons.address,
  persons.address_key,
  sessions.expires_at,
  accounts.account_id,
  accounts.name as account_name,
  members.role,
  accounts.suspension_reason,
  sessions.read_key_id,
  sessions.write_key_id,
  sessions.sealed_read_key,
  sessions.sealed_write_key
from person_sessions as sessions
join persons
  on persons.person_id = sessions.person_id
left join members
  on members.account_id = sessions.account_id
  and members.person_id = sessions.person_id
left join accounts
  on accounts.account_id = members.account_id
where sessions.session_hash = :session_hash
  and sessions.expires_at > now()
