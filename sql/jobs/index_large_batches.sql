-- name: index_large_batches
-- why: indexes what has grown large before anyone filters it, a chunk at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 unindexed_min bigint
-- $4 work_max bigint
-- returns is_more boolean
select index_large_batches($1, $2, $3, $4) as is_more
