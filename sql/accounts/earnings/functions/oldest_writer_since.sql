-- Since when the oldest transaction runs that may still commit a sale, other than the caller's own; null if none does.
-- Transactions of autovacuum are long, and sell nothing.
create or replace function oldest_writer_since()
returns timestamptz
language sql
stable
as $$
  select min(xact_start)
  from pg_stat_activity
  where datname = current_database()
    and backend_xid is not null
    and backend_type <> 'autovacuum worker'
    and pid <> pg_backend_pid()
$$;
