-- name: create_admin_key
-- why: creates a key of an operator, by its hash
-- :key_hash bytea
-- :key_start text
-- :name text
-- :expires_at timestamptz?
-- :actor text?
-- returns key_id uuid
insert into admin_keys (key_hash, key_start, name, expires_at)
select :key_hash, :key_start, :name, :expires_at
from act_as(:actor)
returning key_id
