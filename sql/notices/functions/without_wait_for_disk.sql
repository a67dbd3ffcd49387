-- Lets the transaction commit without waiting for the disk. A crash of the database may then lose it, which is harmless
-- for claims and outcomes: the call is repeated, with the same notice and id. This saves a disk write for each call.
create or replace function without_wait_for_disk()
returns void
language sql
as $$
  select set_config('synchronous_commit', 'off', true)
$$;
