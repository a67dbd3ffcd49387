-- name: run_job
-- why: runs a bounded step of a background job; any number of processes may ask; without a moment, now
-- :job text
-- :moment timestamptz?
-- :pause interval
-- :age interval?
-- :amount int
-- :work_max bigint?
-- returns is_more boolean
select is_more
from run_job(:job, coalesce(:moment, clock_timestamp()), :pause, :age, :amount, :work_max)
