-- name: read_clock
-- why: background work goes by the database's clock, which all processes share
-- returns now timestamptz
select clock_timestamp() as now
