-- name: suspend_feed
-- why: nobody may read the feed or push to it while there is a reason; null ends that, and gives open batches their
-- whole time again. The same again changes nothing
-- :feed_id uuid
-- :reason text?
-- :actor text?
-- returns feed_id uuid
with resumed as (
  select feed_id
  from feeds
  where feed_id = :feed_id
    and suspension_reason is not null
    and :reason::text is null
),
renewed as (
  update batches
  set pushed_at = clock_timestamp()
  from resumed
  where batches.feed_id = resumed.feed_id
    and batches.status = 'open'
)
update feeds
set suspension_reason = :reason,
  definition_version = definition_version + (suspension_reason is distinct from :reason)::int,
  updated_at = case
    when suspension_reason is distinct from :reason then clock_timestamp()
    else updated_at
  end
from act_as(:actor)
where feed_id = :feed_id
  and deleted_at is null
returning feed_id
