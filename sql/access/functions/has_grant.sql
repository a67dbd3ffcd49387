-- Whether an account has a grant to read a feed that has not ended.
create or replace function has_grant(reader uuid, granted_feed uuid)
returns boolean
language sql
stable
as $$
  select exists (
    select
    from access_grants
    where access_grants.account_id = reader
      and access_grants.feed_id = granted_feed
      and is_current_grant(access_grants.expires_at, clock_timestamp())
  )
$$;
