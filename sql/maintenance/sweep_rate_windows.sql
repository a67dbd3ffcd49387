-- name: sweep_rate_windows
-- why: removes windows that nobody uses, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 idle interval
-- $4 window_limit int
-- returns is_more boolean
select sweep_rate_windows($1, $2, $3, $4) as is_more
