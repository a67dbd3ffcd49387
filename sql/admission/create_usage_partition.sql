-- name: create_usage_partition
-- why: the usage log takes events of this month
-- returns is_done boolean
select create_usage_partitions(now(), 0) is not null as is_done
