-- name: remove_aged_rows
-- why: removes rows that are too old to matter, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 age interval
-- $4 row_limit int
-- $5 job text
-- $6 aged_table text
-- returns is_more boolean
select remove_aged_rows($1, $2, $3, $4, $5, $6) as is_more
