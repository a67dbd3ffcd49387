-- name: save_feed
-- why: creates or edits a feed in one round trip and one commit
-- $1 account_id uuid
-- $2 feed_id uuid?
-- $3 save_mode text
-- $4 fields json
-- $5 price_type text?
-- $6 call_price_nanos bigint?
-- $7 one_time_price_cents bigint?
-- returns outcome text, feed_id uuid?, max_feeds_allowed int, feeds_used bigint?
select outcome, feed_id, max_feeds_allowed, feeds_used
from save_feed($1, $2, $3, $4, $5, $6, $7)
