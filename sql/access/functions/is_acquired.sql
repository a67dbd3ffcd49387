-- Whether an account has bought a feed, or has been granted access to it.
create or replace function is_acquired(reader uuid, acquired_feed uuid)
returns boolean
language sql
stable
as $$
  select
    exists (
      select
      from purchases
      where purchases.account_id = reader
        and purchases.feed_id = acquired_feed
    )
    or has_grant(reader, acquired_feed)
$$;
