-- name: remove_idempotency_keys
-- why: forgets idempotency keys that count no more
-- $1 moment timestamptz
-- $2 pause interval
-- $3 age interval
-- $4 row_limit int
-- returns is_more boolean
select remove_idempotency_keys($1, $2, $3, $4) as is_more
