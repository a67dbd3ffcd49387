-- name: find_unindexed_batches
-- why: what was pushed to since a push, and is so large that it is indexed before anyone filters it
-- $1 after_push_id bigint?
-- $2 unindexed_min bigint
-- returns newest_push_id bigint, feed_id uuid?, batch_number bigint?
with newest as (
  select coalesce(max(push_id), 0) as push_id
  from pushes
),
pushed_feeds as (
  -- A process that has just begun looks back a little; a feed that it misses is found when filtered.
  select distinct pushes.feed_id
  from pushes
  where pushes.push_id > coalesce($1, (select push_id - 1000 from newest))
),
large_batches as (
  select targets.feed_id, targets.batch_number
  from (
    select feeds.feed_id, 0::bigint as batch_number
    from pushed_feeds
    join feeds
      on feeds.feed_id = pushed_feeds.feed_id
    where feeds.feed_type = 'stream'
    union all
    select batches.feed_id, batches.batch_number
    from pushed_feeds
    join feeds
      on feeds.feed_id = pushed_feeds.feed_id
    join batches
      on batches.feed_id = feeds.feed_id
      and (batches.status = 'open' or batches.batch_number = feeds.current_batch)
  ) as targets
  where count_unindexed_rows(targets.feed_id, targets.batch_number) >= $2
)
select
  newest.push_id as newest_push_id,
  large_batches.feed_id,
  large_batches.batch_number
from newest
left join large_batches
  on true
order by large_batches.feed_id, large_batches.batch_number
