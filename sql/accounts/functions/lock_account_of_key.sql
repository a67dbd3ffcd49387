-- Locks the account of a key.
--
-- The account is locked before the key, in the same order as by the statement that logs its reads, so that the two
-- never deadlock.
create or replace function lock_account_of_key(locked_key uuid)
returns void
language sql
as $$
  select
  from accounts
  where accounts.account_id = (
    select api_keys.account_id from api_keys where api_keys.key_id = locked_key
  )
  for no key update
$$;
