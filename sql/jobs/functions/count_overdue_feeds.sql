-- Counts the readable feeds whose newest push is older than their interval, and records the oldest of these pushes.
create or replace function count_overdue_feeds(moment timestamptz)
returns void
language sql
as $$
  insert into findings (name, amount, since, found_at)
  select 'overdue feeds', count(*), min(last_sync_at), moment
  from feeds
  where is_readable
    and last_sync_at + make_interval(mins => sync_interval_mins) < moment
  on conflict (name) do update
  set amount = excluded.amount, since = excluded.since, found_at = excluded.found_at
$$;
