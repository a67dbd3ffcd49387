-- name: rotate_admin_key
-- why: creates a key of an operator that replaces a valid one, which ends after the grace period
-- :key_id uuid
-- :new_hash bytea
-- :new_start text
-- :grace interval
-- :actor text?
-- returns key_id uuid
select rotate_admin_key as key_id
from rotate_admin_key(
  old_key => :key_id,
  new_hash => :new_hash,
  new_start => :new_start,
  grace => :grace,
  actor => :actor
)
