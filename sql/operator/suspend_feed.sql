-- name: suspend_feed
-- why: suspends a feed for a reason, so that it can't be read or pushed to; null resumes it
-- Resuming gives open batches their whole time again. Repeating the call changes nothing.
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
