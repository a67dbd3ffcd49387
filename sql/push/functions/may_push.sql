-- Whether a key may push now: it is usable, and its account is not suspended. The caller holds the feed's lock, and
-- calls this in the statement that uses the result.
create or replace function may_push(pusher_account_id uuid, pusher_key_id uuid)
returns boolean
language sql
volatile
as $$
  select exists (
    select
    from api_keys
    join accounts
      on accounts.account_id = api_keys.account_id
    where api_keys.key_id = pusher_key_id
      and api_keys.account_id = pusher_account_id
      and accounts.suspension_reason is null
      and is_usable_key(api_keys.revoked_at, api_keys.expires_at, clock_timestamp())
  )
$$;
