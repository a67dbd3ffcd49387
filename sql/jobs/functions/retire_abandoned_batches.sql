-- Retires batches that were never finalized, are not what readers see, and that nobody has pushed to for
-- longer than `age`. Those of suspended feeds stay; their time begins anew when the feed is resumed.
-- Their rows are removed like those of every retired batch. A late push to one is refused as closed, because it would
-- begin half a batch of the same name. The same for what imports have staged whose process has died: nothing has been
-- heard of them for 10 minutes.
--
-- The feed's lock is taken as a push takes it; a feed that is being pushed to waits for the next pass.
create or replace function retire_abandoned_batches(
  moment timestamptz,
  age interval,
  batch_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  found_count int;
  retired_count int;
begin
  perform end_import(lost.feed_id, lost.import_id, moment)
  from (
    select imports.feed_id, imports.import_id
    from imports
    where imports.renewed_at <= moment - interval '10 minutes'
    order by imports.feed_id
    limit batch_limit
    for update skip locked
  ) as lost;

  with abandoned as materialized (
    select batches.feed_id, batches.batch_number
    from batches
    join feeds
      on feeds.feed_id = batches.feed_id
    where batches.status = 'open'
      -- No later than its last push: by this the index finds them.
      and batches.begun_at <= moment - age
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age
      and feeds.current_batch is distinct from batches.batch_number
      -- Its provider can't push to it.
      and feeds.suspension_reason is null
    order by coalesce(batches.pushed_at, batches.begun_at)
    limit batch_limit
    for no key update of feeds skip locked
  ),
  retired as (
    update batches
    set status = 'retired',
      retired_at = moment
    from abandoned
    where batches.feed_id = abandoned.feed_id
      and batches.batch_number = abandoned.batch_number
      and batches.status = 'open'
      -- It may have been pushed to before the feed was locked.
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age
    returning batches.batch_number
  )
  select (select count(*) from abandoned), (select count(*) from retired)
  into found_count, retired_count;
  return found_count = batch_limit and retired_count > 0;
end
$$;
