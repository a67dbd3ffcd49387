-- Brings the filter index of what was pushed to of late, and lacks much, up to date before anyone filters
-- it: one batch or stream after the other, a chunk a step. The job's mark is the one under way.
create or replace function index_large_batches(
  moment timestamptz,
  pause interval,
  unindexed_min bigint,
  rows_max int
)
returns boolean
language plpgsql
as $$
declare
  job constant text := 'filter indexes';
  -- What is missed by it is indexed when it is filtered.
  pushes_max constant int := 1000;
  mark text := begin_job(job, moment);
  target_feed uuid := nullif(split_part(mark, ' ', 1), '');
  target_batch bigint := nullif(split_part(mark, ' ', 2), '');
begin
  if mark is null then
    return false;
  end if;
  if target_feed is null then
    select targets.feed_id, targets.batch_number
    into target_feed, target_batch
    from (
      select feeds.feed_id, batches.batch_number
      from feeds
      cross join lateral (
        select 0::bigint as batch_number
        where feeds.feed_type = 'stream'
        union all
        select batches.batch_number
        from batches
        where batches.feed_id = feeds.feed_id
          and (batches.status = 'open' or batches.batch_number = feeds.current_batch)
      ) as batches
      where feeds.feed_id in (
        select pushes.feed_id
        from pushes
        where pushes.push_id > (select max(newest.push_id) from pushes as newest) - pushes_max
      )
    ) as targets
    where count_unindexed_rows(targets.feed_id, targets.batch_number) >= unindexed_min
    limit 1;
    if not found then
      return end_job(job, moment, pause, false);
    end if;
  end if;
  if index_filter_rows(target_feed, target_batch, rows_max) then
    return end_job(job, moment, pause, true, target_feed || ' ' || target_batch);
  end if;
  return end_job(job, moment, pause, true);
end
$$;
