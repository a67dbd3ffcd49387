-- name: end_sessions
-- why: ends one session, or all of its key or of its account with the same permission; returns the keys made for them
-- An agent that was connected in a session from a link stays after signing out, although the session's key is revoked.
-- :session_hash bytea
-- :is_everywhere boolean
-- returns key_id uuid, is_own_key boolean
with mine as (
  select sessions.permission, sessions.key_id, api_keys.account_id
  from console_sessions as sessions
  left join api_keys
    on api_keys.key_id = sessions.key_id
  where sessions.session_hash = :session_hash
),
ended as (
  delete from console_sessions as sessions
  using mine
  where sessions.session_hash = :session_hash
    or (
      :is_everywhere::boolean
      and sessions.permission = mine.permission
      and (
        sessions.key_id = mine.key_id
        or sessions.key_id in (
          select api_keys.key_id from api_keys where api_keys.account_id = mine.account_id
        )
      )
    )
  returning sessions.key_id, sessions.is_own_key
),
kept as (
  update agent_connections
  set agreed_key_id = null
  from mine, ended
  where agent_connections.account_id = mine.account_id
    and agent_connections.agreed_key_id = ended.key_id
    and ended.is_own_key
)
select key_id, is_own_key
from ended
