-- Starts watching the data versions of feeds. Earlier pushes cause no notice.
create or replace function compare_feeds(compared_ids uuid[], moment timestamptz)
returns void
language sql
as $$
  insert into told_versions (feed_id, data_version, told_at)
  select feeds.feed_id, feeds.data_version, moment - interval '1 minute'
  from feeds
  where feeds.feed_id = any (compared_ids)
  order by feeds.feed_id
  on conflict (feed_id) do nothing
$$;
