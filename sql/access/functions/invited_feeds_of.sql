-- The published invited feeds that an account can find: its own, and those it was granted.
create or replace function invited_feeds_of(reader_id uuid)
returns table (feed_id uuid, shown_at timestamptz)
language sql
stable
as $$
  select feeds.feed_id, coalesce(feeds.published_at, feeds.created_at)
  from (
    select feeds.feed_id
    from feeds
    where feeds.account_id = reader_id
      and feeds.access = 'invited'
    union
    select access_grants.feed_id
    from access_grants
    where access_grants.account_id = reader_id
      and is_current_grant(access_grants.expires_at, clock_timestamp())
  ) as found
  join feeds
    on feeds.feed_id = found.feed_id
  where feeds.access = 'invited'
    and feeds.is_readable
    and feeds.is_public
$$;
