-- name: delete_feed
-- why: deletes a feed, by id or slug, and says who did for the audit trail where it was a key
-- $1 account_id uuid?
-- $2 feed_id uuid?
-- $3 endpoint_path text?
-- $4 key_id uuid?
-- returns outcome text, feed_id uuid?, suspension_reason text?
select deletion.outcome, wanted.feed_id, deletion.suspension_reason
from (
  select coalesce($2, (select feeds.feed_id from feeds where feeds.endpoint_path = $3)) as feed_id
) as wanted
cross join lateral delete_feed($1, wanted.feed_id, $4) as deletion
