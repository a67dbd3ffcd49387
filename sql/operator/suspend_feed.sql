-- name: suspend_feed
-- why: nobody may read the feed or push to it while there is a reason; null ends that
-- :feed_id uuid
-- :reason text?
-- :actor text?
-- returns feed_id uuid
update feeds
set suspension_reason = :reason,
  definition_version = definition_version + (suspension_reason is distinct from :reason)::int,
  updated_at = clock_timestamp()
from act_as(:actor)
where feed_id = :feed_id
  and deleted_at is null
returning feed_id
