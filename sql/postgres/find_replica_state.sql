-- name: find_replica_state
-- why: whether a server is a standby that is connected to its primary
-- returns is_following boolean
select
  pg_is_in_recovery()
    -- There is a row while the receiver is connected. Its pid is visible to every role.
    and exists (select from pg_stat_wal_receiver)
    as is_following
