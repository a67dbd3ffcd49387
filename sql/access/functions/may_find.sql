-- Whether an account can find an invited feed: as its owner, by a grant, or by a purchase. A null reader finds none.
create or replace function may_find(invited_feed uuid, owner_id uuid, reader_id uuid)
returns boolean
language sql
stable
as $$
  select reader_id = owner_id
    or exists (
      select
      from access_grants
      where access_grants.account_id = reader_id
        and access_grants.feed_id = invited_feed
        and is_current_grant(access_grants.expires_at, clock_timestamp())
    )
    or exists (
      select
      from purchases
      where purchases.account_id = reader_id
        and purchases.feed_id = invited_feed
    )
$$;
