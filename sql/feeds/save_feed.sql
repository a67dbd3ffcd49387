-- name: save_feed
-- why: creates or edits a feed in one round trip and one commit, and says who did for the audit trail
-- $1 account_id uuid
-- $2 feed_id uuid?
-- $3 save_mode text
-- $4 fields json
-- $5 price_type text?
-- $6 call_price_nanos bigint?
-- $7 one_time_price_cents bigint?
-- $8 actor text
-- returns outcome text, feed_id uuid?, max_feeds_allowed int, feeds_used bigint?,
--   suspension_reason text?
select outcome, feed_id, max_feeds_allowed, feeds_used, suspension_reason
from save_feed($1, $2, $3, $4, $5, $6, $7, $8)
