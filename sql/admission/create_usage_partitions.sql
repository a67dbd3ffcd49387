-- name: create_usage_partitions
-- why: the usage log takes events of today
-- $1 months_ahead int
-- returns is_done boolean
select create_usage_partitions(now(), $1) is not null as is_done
