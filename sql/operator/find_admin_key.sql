-- name: find_admin_key
-- why: the operator's valid key with a hash; records its use, to the minute
-- :key_hash bytea
-- returns key_id uuid, name text
with known as (
  select key_id, name, last_used_at
  from admin_keys
  where key_hash = :key_hash
    and is_usable_key(revoked_at, expires_at, clock_timestamp())
),
used as (
  update admin_keys
  set last_used_at = clock_timestamp()
  from known
  where admin_keys.key_id = known.key_id
    and (known.last_used_at < clock_timestamp() - interval '1 minute') is not false
)
select key_id, name
from known
