-- Whether an account finds a feed: one that can be read, and that is not invited, or invited for this account (may_find).
-- A null reader finds no invited feed. PostgreSQL inlines it, so a plan is the same as without it.
create or replace function finds_feed(feed feeds, reader_id uuid)
returns boolean
language sql
stable
as $$
  select feed.is_readable
    and (feed.access <> 'invited' or may_find(feed.feed_id, feed.account_id, reader_id))
$$;
