-- name: keep_usage_partitions
-- why: makes the partitions of the usage log ahead of time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 months int
-- returns is_more boolean
select keep_usage_partitions($1, $2, $3) as is_more
