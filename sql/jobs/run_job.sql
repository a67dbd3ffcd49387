-- name: run_job
-- why: runs a bounded step of a background job; any number of processes may ask; without a moment, now
-- $1 job text
-- $2 moment timestamptz?
-- $3 pause interval
-- $4 age interval?
-- $5 amount int
-- $6 work_max bigint?
-- returns is_more boolean
select is_more
from run_job($1, coalesce($2, clock_timestamp()), $3, $4, $5, $6)
