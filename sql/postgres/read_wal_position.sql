-- name: read_wal_position
-- why: how far the primary's WAL is on disk: whatever was answered as committed lies before it
-- returns wal_position text
select pg_current_wal_flush_lsn()::text as wal_position
