-- name: edit_admin_key
-- why: changes the name or the expiry of an operator's key that is not revoked, or revokes it
-- :key_id uuid
-- :fields json
-- :actor text?
-- returns key_id uuid
with known as (
  select key_id
  from admin_keys
  cross join act_as(:actor)
  where key_id = :key_id
  for no key update of admin_keys
)
update admin_keys
set (name, expires_at, revoked_at) = (
  select wanted.name, wanted.expires_at, wanted.revoked_at
  from json_populate_record(admin_keys, :fields) as wanted
)
from known
where admin_keys.key_id = known.key_id
  and admin_keys.revoked_at is null
returning admin_keys.key_id
