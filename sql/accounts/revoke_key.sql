-- name: revoke_key
-- why: ends a key for good; a key that was revoked before keeps that time
-- $1 key_id uuid
-- returns key_id uuid
with owner as materialized (
  select lock_account_of_key($1) as account_id
)
update api_keys
set revoked_at = coalesce(api_keys.revoked_at, now())
from owner
where api_keys.key_id = $1
  and api_keys.account_id = owner.account_id
returning api_keys.key_id
