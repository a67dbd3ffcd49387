-- name: delete_feed
-- why: deletes a feed, and says who did for the audit trail where it was a key
-- $1 account_id uuid?
-- $2 feed_id uuid
-- $3 key_id uuid?
-- returns outcome text, suspension_reason text?
select outcome, suspension_reason
from delete_feed($1, $2, $3)
