-- name: begin_session
-- why: creates a session of the console for a key; removes expired sessions
-- :session_hash bytea
-- :permission text
-- :key_id uuid
-- :sealed_key text
-- :is_own_key boolean
-- :lifetime interval
-- :forgotten_max bigint
-- returns expires_at timestamptz
with forgotten as (
  delete from console_sessions
  where session_hash in (
    select session_hash from console_sessions where expires_at < now() limit :forgotten_max
  )
)
insert into console_sessions (session_hash, permission, key_id, sealed_key, is_own_key, expires_at)
values (:session_hash, :permission, :key_id, :sealed_key, :is_own_key, now() + :lifetime)
returning expires_at
