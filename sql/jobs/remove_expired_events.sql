-- name: remove_expired_events
-- why: removes events that are older than their stream keeps them
-- $1 now timestamptz
-- $2 pause interval
-- $3 row_limit int
-- returns is_more boolean
select remove_expired_events($1, $2, $3) as is_more
