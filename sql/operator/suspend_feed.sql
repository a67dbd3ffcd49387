-- name: suspend_feed
-- why: nobody may read the feed or push to it while there is a reason; null ends that
-- $1 feed_id uuid
-- $2 reason text?
-- $3 actor text?
-- returns feed_id uuid
update feeds
set suspension_reason = $2,
  definition_version = definition_version + (suspension_reason is distinct from $2)::int,
  updated_at = clock_timestamp()
from act_as($3)
where feed_id = $1
  and deleted_at is null
returning feed_id
