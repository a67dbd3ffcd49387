-- name: create_own_key
-- why: creates a key of an account for one of its owners, within the maximum number of keys
-- :account_id uuid
-- :person_id uuid
-- :keys_max int
-- :key_hash bytea
-- :key_start text
-- :permission text
-- :name text?
-- :expires_at timestamptz?
-- :daily_nanos bigint?
-- :feed_ids uuid[]?
-- :actor text?
-- returns outcome text, key_id uuid?
select outcome, made_key as key_id
from create_own_key(
  :account_id, :person_id, :keys_max, :key_hash, :key_start, :permission, :name, :expires_at, :daily_nanos,
  :feed_ids, :actor
)
