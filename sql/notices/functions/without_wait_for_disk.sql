-- Lets the transaction commit without a wait for the disk: for what may be lost when the database crashes. A claim or an
-- outcome that is lost is repeated, with the same notice and its id, and a call costs no write of its own.
create or replace function without_wait_for_disk()
returns void
language sql
as $$
  select set_config('synchronous_commit', 'off', true)
$$;
