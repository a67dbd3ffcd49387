-- Retires batches that were never finalized, are not visible to readers, and have not been pushed to for longer than
-- `age`. Those of suspended feeds stay, and their time starts again when the feed is resumed. Their rows are removed
-- like those of every retired batch. A late push to one is refused as closed, because it would start half a batch of
-- the same name. The same applies to rows staged by imports whose process has died, which is assumed after 10 minutes
-- without renewal.
--
-- The feed's lock is taken in the same way as by a push. A feed that is being pushed to is handled in the next pass.
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
      -- No later than its last push, so that the index finds it.
      and batches.begun_at <= moment - age
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age
      and feeds.current_batch is distinct from batches.batch_number
      -- While a feed is suspended, its provider can't push to it.
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
