-- name: list_live_sessions
-- why: which of the given sessions may still view pages, for all viewers of a process at once
-- Hashes are in hex.
-- :hashes text[]
-- returns hash text
with given as materialized (
  select array_agg(decode(hash, 'hex')) as session_hashes
  from unnest(:hashes::text[]) as hash
)
select encode(session_hash, 'hex') as hash
from given
cross join lateral usable_sessions(given.session_hashes)
union all
select encode(sessions.session_hash, 'hex')
from given
join person_sessions as sessions
  on sessions.session_hash = any (given.session_hashes)
join members
  on members.account_id = sessions.account_id
  and members.person_id = sessions.person_id
join accounts
  on accounts.account_id = members.account_id
  and accounts.suspension_reason is null
where sessions.expires_at > now()
order by hash
