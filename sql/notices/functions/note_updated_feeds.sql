-- Notifies the readers of feeds whose data has changed, at most once a minute for each feed. The feed's last known
-- version is updated in the same commit. Returns true if more are left.
create or replace function note_updated_feeds(moment timestamptz, amount int)
returns boolean
language plpgsql
as $$
declare
  told_count int;
begin
  with moved as materialized (
    select
      feeds.feed_id, feeds.endpoint_path, feeds.name, feeds.data_version, feeds.last_sync_at
    from told_versions
    join feeds
      on feeds.feed_id = told_versions.feed_id
      -- Not only higher versions: a restored database may have lower ones.
      and feeds.data_version <> told_versions.data_version
    where feeds.is_readable
      -- A time in the future was written by a clock that was ahead.
      and (
        told_versions.told_at <= moment - interval '1 minute'
        or told_versions.told_at > moment + interval '1 minute'
      )
    order by told_versions.told_at
    limit amount
    for no key update of told_versions skip locked
  ),
  marked as (
    update told_versions
    set data_version = moved.data_version, told_at = moment
    from moved
    where told_versions.feed_id = moved.feed_id
  )
  insert into notices (type, permission, feed_id, data, happened_at)
  select
    'feed.updated', 'read', moved.feed_id,
    json_build_object(
      'feed_id', moved.feed_id, 'endpoint_path', moved.endpoint_path, 'name', moved.name,
      'data_version', moved.data_version, 'last_sync_at', json_time(moved.last_sync_at)
    ),
    moment
  from moved;
  get diagnostics told_count = row_count;
  return told_count = amount;
end
$$;
