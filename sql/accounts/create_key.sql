-- name: create_key
-- why: a new key of an account, by its hash
-- $1 account_id uuid
-- $2 key_hash bytea
-- $3 key_start text
-- $4 permission text
-- $5 name text?
-- $6 expires_at timestamptz?
-- $7 daily_nanos bigint?
-- $8 feed_ids uuid[]?
-- $9 actor text?
-- returns outcome text, key_id uuid?
select outcome, made_key as key_id
from create_key($1, $2, $3, $4, $5, $6, $7, $8, $9)
