-- Whether an account can find a feed: the feed is readable, and if it is invited, the account passes may_find. A null
-- reader finds no invited feed. PostgreSQL inlines this function, so plans are the same as without it.
create or replace function finds_feed(feed feeds, reader_id uuid)
returns boolean
language sql
stable
as $$
  select feed.is_readable
    and (feed.access <> 'invited' or may_find(feed.feed_id, feed.account_id, reader_id))
$$;
