-- name: await_replay
-- why: whether a standby has caught up with the primary, checked before it is read
-- :wal_position text
-- :wait_max interval
-- returns is_caught_up boolean
select await_replay(:wal_position::text::pg_lsn, :wait_max) as is_caught_up
