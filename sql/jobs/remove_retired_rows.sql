-- name: remove_retired_rows
-- why: removes the rows of retired batches after the grace, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 grace interval
-- $4 row_limit int
-- returns is_more boolean
select remove_retired_rows($1, $2, $3, $4) as is_more
