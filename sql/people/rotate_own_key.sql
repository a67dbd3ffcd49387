-- name: rotate_own_key
-- why: creates a key that replaces a valid one, for an owner of the account, within the maximum number of keys
-- :account_id uuid
-- :person_id uuid
-- :keys_max int
-- :key_id uuid
-- :new_hash bytea
-- :new_start text
-- :grace interval
-- :actor text?
-- returns outcome text, key_id uuid?
select outcome, made_key as key_id
from rotate_own_key(
  :account_id, :person_id, :keys_max, :key_id, :new_hash, :new_start, :grace, :actor
)
