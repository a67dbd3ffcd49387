-- Removes events that are older than their stream's retention, in bounded pieces of one stream at a time. Readers
-- already can't see them. The data version moves, so that clients revalidate their copies of the stream.
create or replace function remove_expired_events(
  moment timestamptz,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  feed record;
  ids text[];
begin
  for feed in
    select feeds.feed_id, moment - make_interval(days => feeds.retention_days) as oldest
    from feeds
    where feeds.retention_days is not null
      and feeds.deleted_at is null
    order by feeds.feed_id
  loop
    continue when not exists (
      select
      from stream_events
      where stream_events.feed_id = feed.feed_id
        and stream_events.event_at < feed.oldest
      limit 1
    );
    perform lock_rows(feed.feed_id);
    select array_agg(expired.row_id)
    into ids
    from (
      select stream_events.row_id
      from stream_events
      where stream_events.feed_id = feed.feed_id
        and stream_events.event_at < feed.oldest
      order by stream_events.event_at, stream_events.position
      limit row_limit
    ) as expired;
    continue when ids is null;
    perform remove_rows(feed.feed_id, 0, ids);
    update feeds
    set data_version = feeds.data_version + 1
    where feeds.feed_id = feed.feed_id;
    return true;
  end loop;
  return false;
end
$$;
