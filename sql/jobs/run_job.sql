-- name: run_job
-- why: runs a bounded step of a background job, as of a given time or now; any number of processes may call it
-- :job text
-- :moment timestamptz?
-- :pause interval
-- :age interval?
-- :amount int
-- :work_max bigint?
-- returns is_more boolean
select is_more
from run_job(:job, coalesce(:moment, clock_timestamp()), :pause, :age, :amount, :work_max)
