-- name: save_feed
-- why: creates or edits a feed in one round trip and one commit, and records the actor in the audit trail
-- :account_id uuid
-- :feed_id uuid?
-- :save_mode text
-- :fields json
-- :price_type text?
-- :call_price_nanos bigint?
-- :one_time_price_cents bigint?
-- :compared_version bigint?
-- :is_breaking boolean
-- :is_dry_run boolean
-- :actor text
-- returns outcome text, feed_id uuid?, max_feeds_allowed int, feeds_used bigint?,
--   suspension_reason text?
select outcome, feed_id, max_feeds_allowed, feeds_used, suspension_reason
from save_feed(
  owner_id => :account_id,
  saved_feed_id => :feed_id,
  save_mode => :save_mode,
  fields => :fields,
  given_price_type => :price_type,
  given_call_price_nanos => :call_price_nanos,
  given_one_time_price_cents => :one_time_price_cents,
  compared_version => :compared_version,
  is_breaking => :is_breaking,
  is_dry_run => :is_dry_run,
  actor => :actor
)
