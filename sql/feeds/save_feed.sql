-- name: save_feed
-- why: creates or edits a feed in one round trip and one commit, and says who did for the audit trail
-- $1 account_id uuid
-- $2 feed_id uuid?
-- $3 save_mode text
-- $4 fields json
-- $5 price_type text?
-- $6 call_price_nanos bigint?
-- $7 one_time_price_cents bigint?
-- $8 key_id uuid
-- returns outcome text, feed_id uuid?, max_feeds_allowed int, feeds_used bigint?,
--   suspension_reason text?
with said as materialized (
  -- For this statement's transaction only.
  select set_config('feedgate.actor', 'key ' || $8::uuid, true) as actor
)
select saved.outcome, saved.feed_id, saved.max_feeds_allowed, saved.feeds_used,
  saved.suspension_reason
from said
-- Asked for what was said, so that it is said first.
cross join lateral save_feed(
  case when said.actor is not null then $1::uuid end, $2, $3, $4, $5, $6, $7
) as saved
