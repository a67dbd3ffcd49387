-- Notifies providers of readable feeds whose newest push is older than their interval, and again when these feeds
-- recover.
create or replace function note_late_feeds(moment timestamptz)
returns void
language plpgsql
as $$
begin
  with late as (
    insert into late_feeds (feed_id, late_since)
    select feeds.feed_id, feeds.last_sync_at + make_interval(mins => feeds.sync_interval_mins)
    from feeds
    where feeds.is_readable
      and feeds.last_sync_at + make_interval(mins => feeds.sync_interval_mins) < moment
    order by feeds.feed_id
    on conflict (feed_id) do nothing
    returning late_feeds.feed_id, late_feeds.late_since
  )
  insert into notices (type, permission, account_id, feed_id, data, happened_at)
  select
    'feed.late', 'write', feeds.account_id, feeds.feed_id,
    json_build_object(
      'feed_id', feeds.feed_id, 'endpoint_path', feeds.endpoint_path, 'name', feeds.name,
      'last_sync_at', json_time(feeds.last_sync_at), 'late_since', json_time(late.late_since),
      'sync_interval_mins', feeds.sync_interval_mins
    ),
    moment
  from late
  join feeds
    on feeds.feed_id = late.feed_id;

  with over as (
    delete from late_feeds
    using feeds
    where feeds.feed_id = late_feeds.feed_id
      and (
        not feeds.is_readable
        or feeds.last_sync_at + make_interval(mins => feeds.sync_interval_mins) >= moment
      )
    returning feeds.feed_id, feeds.account_id, feeds.endpoint_path, feeds.name, feeds.last_sync_at,
      feeds.is_readable, late_feeds.late_since
  )
  insert into notices (type, permission, account_id, feed_id, data, happened_at)
  select
    'feed.recovered', 'write', over.account_id, over.feed_id,
    json_build_object(
      'feed_id', over.feed_id, 'endpoint_path', over.endpoint_path, 'name', over.name,
      'last_sync_at', json_time(over.last_sync_at), 'late_since', json_time(over.late_since)
    ),
    moment
  from over
  -- A feed that can't be read is no longer late, but has not recovered either.
  where over.is_readable;
end
$$;
