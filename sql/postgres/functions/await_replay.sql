-- On a standby: waits until it has replayed the WAL up to a position of the primary. Returns true once it has, and
-- false after the wait, or if the server follows no primary.
--
-- The next statement then sees everything that was committed before that position.
create or replace function await_replay(wanted pg_lsn, wait_max interval)
returns boolean
language plpgsql
as $$
declare
  nap_seconds constant double precision := 0.001;
  deadline constant timestamptz := clock_timestamp() + wait_max;
begin
  loop
    if pg_is_in_recovery() and pg_last_wal_replay_lsn() >= wanted then
      return true;
    end if;
    if not pg_is_in_recovery() or clock_timestamp() >= deadline then
      return false;
    end if;
    perform pg_sleep(nap_seconds);
  end loop;
end
$$;
