-- name: list_live_sessions
-- why: those of the given sessions that still let somebody see a page, for all viewers of a process at once
-- Hashes are in hex.
-- :hashes text[]
-- returns hash text
with given as (
  select decode(hash, 'hex') as session_hash
  from unnest(:hashes::text[]) as hash
)
select encode(sessions.session_hash, 'hex') as hash
from console_sessions as sessions
left join admin_keys
  on admin_keys.key_id = sessions.key_id
  and sessions.permission = 'admin'
  and is_usable_key(admin_keys.revoked_at, admin_keys.expires_at, clock_timestamp())
left join api_keys
  on api_keys.key_id = sessions.key_id
  and api_keys.permission = sessions.permission
  and is_usable_key(api_keys.revoked_at, api_keys.expires_at, clock_timestamp())
left join accounts
  on accounts.account_id = api_keys.account_id
  and accounts.suspension_reason is null
where sessions.session_hash in (select session_hash from given)
  and sessions.expires_at > now()
  and (admin_keys.key_id is not null or accounts.account_id is not null)
union all
select encode(sessions.session_hash, 'hex')
from person_sessions as sessions
join members
  on members.account_id = sessions.account_id
  and members.person_id = sessions.person_id
join accounts
  on accounts.account_id = members.account_id
  and accounts.suspension_reason is null
where sessions.session_hash in (select session_hash from given)
  and sessions.expires_at > now()
order by hash
