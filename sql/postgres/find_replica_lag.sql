-- name: find_replica_lag
-- why: the age of a standby's data, for the metrics
-- wal_position: the primary's, read just before. A healthy standby reaches it within wait_max, and does not lag
-- :wal_position text
-- :wait_max interval
-- returns lag_seconds double
select
  case
    when await_replay(:wal_position::text::pg_lsn, :wait_max) then 0
    else extract(epoch from
      clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())
    )
  end::float8 as lag_seconds
