-- name: create_key
-- why: creates a key of an account, by its hash
-- :account_id uuid
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
from create_key(
  owner_id => :account_id,
  new_hash => :key_hash,
  new_start => :key_start,
  new_permission => :permission,
  new_name => :name,
  new_end => :expires_at,
  new_daily_nanos => :daily_nanos,
  new_feed_ids => :feed_ids,
  actor => :actor
)
