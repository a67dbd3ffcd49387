-- name: revoke_key
-- why: ends a key for good; a key that was revoked before keeps that time
-- $1 key_id uuid
-- returns key_id uuid, key_start text, permission text, account_id uuid, name text?,
--   created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?, daily_nanos bigint?, feed_ids text?
with owner as materialized (
  select lock_account_of_key($1) as account_id
)
update api_keys
set revoked_at = coalesce(api_keys.revoked_at, now())
from owner
where api_keys.key_id = $1
  and api_keys.account_id = owner.account_id
returning
  api_keys.key_id,
  api_keys.key_start,
  api_keys.permission,
  api_keys.account_id,
  api_keys.name,
  api_keys.created_at,
  api_keys.expires_at,
  api_keys.revoked_at,
  api_keys.last_used_at,
  api_keys.daily_nanos,
  array_to_string(api_keys.feed_ids, ',') as feed_ids
