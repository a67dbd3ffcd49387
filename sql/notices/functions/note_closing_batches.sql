-- Notifies providers of open batches that will be retired within the hour unless they are pushed to.
--
-- age: a batch is retired after this time without a push
create or replace function note_closing_batches(moment timestamptz, age interval)
returns void
language sql
as $$
  with closing as materialized (
    select
      batches.feed_id, batches.batch_number, batches.batch_id,
      coalesce(batches.pushed_at, batches.begun_at) + age as closes_at,
      feeds.account_id, feeds.endpoint_path, feeds.name
    from batches
    join feeds
      on feeds.feed_id = batches.feed_id
    where batches.status = 'open'
      and batches.batch_id is not null
      and batches.begun_at <= moment - age + interval '1 hour'
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age + interval '1 hour'
      and feeds.current_batch is distinct from batches.batch_number
      and feeds.suspension_reason is null
      and feeds.deleted_at is null
  ),
  marked as (
    insert into closing_batches as known (feed_id, batch_number, closes_at)
    select closing.feed_id, closing.batch_number, closing.closes_at
    from closing
    order by closing.feed_id, closing.batch_number
    on conflict (feed_id, batch_number) do update
    set closes_at = excluded.closes_at
    where known.closes_at <> excluded.closes_at
    returning known.feed_id, known.batch_number
  ),
  forgotten as (
    delete from closing_batches as known
    where known.closes_at < moment - interval '1 day'
  )
  insert into notices (type, permission, account_id, feed_id, data, happened_at)
  select
    'batch.closing', 'write', closing.account_id, closing.feed_id,
    json_build_object(
      'feed_id', closing.feed_id, 'endpoint_path', closing.endpoint_path, 'name', closing.name,
      'batch_id', closing.batch_id, 'closes_at', json_time(closing.closes_at)
    ),
    moment
  from closing
  join marked
    on marked.feed_id = closing.feed_id
    and marked.batch_number = closing.batch_number
$$;
