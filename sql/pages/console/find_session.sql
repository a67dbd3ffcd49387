-- name: find_session
-- why: the session of a cookie, if session and key are valid
-- No row if its account is suspended, or if the key is an agent's.
-- :session_hash bytea
-- returns permission text, key_id uuid, key_name text?, sealed_key text, is_own_key boolean, expires_at timestamptz,
--   account_id uuid?, account_name text?
select permission, key_id, key_name, sealed_key, is_own_key, expires_at, account_id, account_name
from usable_sessions(array[:session_hash::bytea])
