-- name: suspend_feed
-- why: nobody may read the feed or push to it while there is a reason; null ends that. The same again changes nothing
-- :feed_id uuid
-- :reason text?
-- :actor text?
-- returns feed_id uuid
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
