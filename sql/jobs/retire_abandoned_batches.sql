-- name: retire_abandoned_batches
-- why: closes batches that nobody has finished
-- $1 moment timestamptz
-- $2 pause interval
-- $3 age interval
-- $4 batch_limit int
-- returns is_more boolean
select retire_abandoned_batches($1, $2, $3, $4) as is_more
