-- name: edit_key
-- why: changes a key's name, end, budget or scope, or revokes it
-- $1 key_id uuid
-- $2 fields json
-- $3 actor text?
-- returns outcome text
select outcome
from edit_key($1, $2, $3)
