-- name: rotate_key
-- why: a new key in place of one that holds, which ends after the grace
-- $1 key_id uuid
-- $2 new_hash bytea
-- $3 new_start text
-- $4 grace interval
-- $5 actor text?
-- returns key_id uuid
select rotate_key as key_id
from rotate_key($1, $2, $3, $4, $5)
