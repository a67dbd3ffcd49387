-- Locks a feed for the removal of rows: first its filter indexes, then the feed. The indexer uses the same order, so
-- the two never deadlock.
create or replace function lock_rows(locked_feed uuid)
returns void
language plpgsql
as $$
begin
  perform
  from filter_indexes
  where filter_indexes.feed_id = locked_feed
  order by filter_indexes.filter_index_id
  for update;
  perform
  from feeds
  where feeds.feed_id = locked_feed
  for no key update;
end
$$;
