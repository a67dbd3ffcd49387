-- name: remove_lost_batches
-- why: forgets lost batches that can't come any more
-- $1 moment timestamptz
-- $2 pause interval
-- $3 age interval
-- $4 row_limit int
-- returns is_more boolean
select remove_lost_batches($1, $2, $3, $4) as is_more
