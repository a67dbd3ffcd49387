-- Whether the chain of keys that created a webhook has a usable key. A webhook of operators, or of a session, needs none.
create or replace function has_usable_key(told webhooks, moment timestamptz)
returns boolean
language sql
stable
as $$
  select told.chain_id is null or exists (
    select
    from api_keys as keys
    where keys.account_id = told.account_id
      and keys.chain_id = told.chain_id
      and is_usable_key(keys.revoked_at, keys.expires_at, moment)
  )
$$;
