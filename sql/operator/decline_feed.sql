-- name: decline_feed
-- why: declines the listing of a feed, with the reason; no row if it is listed or deleted
-- :feed_id uuid
-- :reason text
-- :actor text?
-- returns feed_id uuid
update feeds
set review = 'declined',
  review_reason = :reason,
  definition_version = definition_version + (review_reason is distinct from :reason)::int,
  updated_at = clock_timestamp()
from act_as(:actor)
where feed_id = :feed_id
  and deleted_at is null
  and not is_public
returning feed_id
