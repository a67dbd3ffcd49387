-- name: find_key
-- why: the key behind a hash, in any state
-- $1 key_hash bytea
-- returns key_id uuid, account_id uuid, permission text, is_usable boolean
select
  key_id,
  account_id,
  permission,
  is_usable_key(revoked_at, expires_at, clock_timestamp()) as is_usable
from api_keys
where key_hash = $1
