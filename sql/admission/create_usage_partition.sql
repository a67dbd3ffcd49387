-- name: create_usage_partition
-- why: creates the usage log's partition of this month
-- returns is_done boolean
select create_usage_partitions(now(), 0) is not null as is_done
