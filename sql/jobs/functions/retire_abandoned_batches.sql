-- Retires batches that were never finalized, are not what readers see, and that nobody has pushed to for
-- longer than `age`.
-- Their rows are removed like those of every retired batch. A late push to one is refused as closed, because it would
-- begin half a batch of the same name.
--
-- The feed's lock is taken as a push takes it; a feed that is being pushed to waits for the next pass.
create or replace function retire_abandoned_batches(
  moment timestamptz,
  pause interval,
  age interval,
  batch_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  job constant text := 'abandoned batches';
  batch record;
  found_count int := 0;
  retired_count int := 0;
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  for batch in
    select batches.feed_id, batches.batch_number
    from batches
    join feeds
      on feeds.feed_id = batches.feed_id
    where batches.status = 'open'
      -- No later than its last push: by this the index finds them.
      and batches.begun_at <= moment - age
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age
      and feeds.current_batch is distinct from batches.batch_number
    order by coalesce(batches.pushed_at, batches.begun_at)
    limit batch_limit
  loop
    found_count := found_count + 1;
    perform
    from feeds
    where feeds.feed_id = batch.feed_id
    for no key update skip locked;
    continue when not found;

    update batches
    set status = 'retired',
      retired_at = moment
    from feeds
    where batches.feed_id = batch.feed_id
      and batches.batch_number = batch.batch_number
      and batches.status = 'open'
      -- It may have been pushed to while this pass was at others.
      and coalesce(batches.pushed_at, batches.begun_at) <= moment - age
      and feeds.feed_id = batch.feed_id
      and feeds.current_batch is distinct from batches.batch_number;
    if found then
      retired_count := retired_count + 1;
    end if;
  end loop;
  return end_job(job, moment, pause, found_count = batch_limit and retired_count > 0);
end
$$;
