-- name: rotate_key
-- why: creates a key that replaces a valid one, which ends after the grace period
-- :key_id uuid
-- :new_hash bytea
-- :new_start text
-- :grace interval
-- :actor text?
-- returns key_id uuid
select rotate_key as key_id
from rotate_key(
  old_key => :key_id,
  new_hash => :new_hash,
  new_start => :new_start,
  grace => :grace,
  actor => :actor
)
