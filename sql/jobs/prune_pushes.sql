-- name: prune_pushes
-- why: removes old pushes from the history, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 age interval
-- $4 row_limit int
-- returns is_more boolean
select prune_pushes($1, $2, $3, $4) as is_more
