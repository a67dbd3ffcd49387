-- name: edit_key
-- why: changes a key's name, expiry, budget, or scope, or revokes it
-- :key_id uuid
-- :fields json
-- :actor text?
-- returns outcome text
select outcome
from edit_key(:key_id, :fields, :actor)
