-- Updates filter indexes before they are needed, for recently pushed batches and streams with many unindexed rows.
-- Handles one at a time, a chunk in each step.
--
-- mark: the last push that was examined, followed by the feed and the batch in progress.
create or replace function index_large_batches(
  inout mark text,
  unindexed_min bigint,
  work_max bigint,
  out is_more boolean
)
language plpgsql
as $$
declare
  looked_at bigint := nullif(split_part(mark, ' ', 1), '');
  target_feed uuid := nullif(split_part(mark, ' ', 2), '');
  target_batch bigint := nullif(split_part(mark, ' ', 3), '');
  newest bigint;
begin
  if target_feed is null then
    select coalesce(max(pushes.push_id), 0) into newest from pushes;
    -- The first pass looks back only a little. Whatever it misses is indexed when it is filtered.
    looked_at := coalesce(looked_at, newest - 1000);
    with pushed as (
      select distinct pushes.feed_id
      from pushes
      where pushes.push_id > looked_at
    ),
    targets as (
      select feeds.feed_id, 0::bigint as batch_number
      from pushed
      join feeds
        on feeds.feed_id = pushed.feed_id
      where feeds.feed_type = 'stream'
      union all
      select batches.feed_id, batches.batch_number
      from pushed
      join feeds
        on feeds.feed_id = pushed.feed_id
      join batches
        on batches.feed_id = feeds.feed_id
        and (batches.status = 'open' or batches.batch_number = feeds.current_batch)
    )
    select targets.feed_id, targets.batch_number
    into target_feed, target_batch
    from targets
    where count_unindexed_rows(targets.feed_id, targets.batch_number) >= unindexed_min
    order by targets.feed_id, targets.batch_number
    limit 1;
    if not found then
      mark := newest;
      is_more := false;
      return;
    end if;
  end if;
  mark := looked_at;
  if index_filter_rows(target_feed, target_batch, work_max) then
    mark := concat_ws(' ', looked_at, target_feed, target_batch);
  end if;
  is_more := true;
end
$$;
