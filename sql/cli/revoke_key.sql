-- name: revoke_key
-- why: ends a key for good; a key that was revoked before keeps that time
-- $1 key_id uuid
-- returns key_id uuid, key_start text, permission text, account_id uuid, name text?,
--   created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?
update api_keys
set revoked_at = coalesce(revoked_at, now())
where key_id = $1
returning
  key_id, key_start, permission, account_id, name, created_at, expires_at, revoked_at, last_used_at
