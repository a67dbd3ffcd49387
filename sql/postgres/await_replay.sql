-- name: await_replay
-- why: whether a standby has what the primary had, asked before it is read
-- $1 wal_position text
-- $2 wait_max interval
-- returns is_caught_up boolean
select await_replay($1::text::pg_lsn, $2) as is_caught_up
