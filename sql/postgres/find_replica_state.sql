-- name: find_replica_state
-- why: whether a server is a standby that hears of its primary
-- returns is_following boolean
select
  pg_is_in_recovery()
    -- A row while the receiver is connected; its pid is shown to every role.
    and exists (select from pg_stat_wal_receiver)
    as is_following
