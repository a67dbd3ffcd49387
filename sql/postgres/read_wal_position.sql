-- name: read_wal_position
-- why: how far the primary's WAL is on disk; everything that was acknowledged as committed is before it
-- returns wal_position text
select pg_current_wal_flush_lsn()::text as wal_position
