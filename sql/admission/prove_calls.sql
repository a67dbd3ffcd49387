-- name: prove_calls
-- why: proves key, account, feed, and Idempotency-Key before a call is refused, or answered without being logged
-- :account_ids uuid[]
-- :known_generations bigint[]
-- :known_us bigint[]
-- :key_ids uuid[]
-- :feed_ids uuid[]
-- :idempotency_keys text[]
-- :window_us bigint
-- :idempotency_us bigint
-- returns now_us bigint, is_key_usable boolean, suspension_reason text?, news json, is_feed_readable boolean?,
--   definition_version bigint?, data_version bigint?, is_purchased boolean, is_granted boolean,
--   is_granted_free boolean, grant_end_us bigint?, query_hash text?, usage_id uuid?, charge_nanos bigint?,
--   happened_at timestamptz?, is_replayed boolean?, answered_version bigint?, begins_after bigint?
select
  now_us, is_key_usable, suspension_reason, news, is_feed_readable, definition_version, data_version,
  is_purchased, is_granted, is_granted_free, grant_end_us, query_hash, usage_id, charge_nanos, happened_at,
  is_replayed, answered_version, begins_after
from prove_calls(
  account_ids => :account_ids,
  known_generations => :known_generations,
  known_us => :known_us,
  key_ids => :key_ids,
  feed_ids => :feed_ids,
  idempotency_keys => :idempotency_keys,
  window_us => :window_us,
  idempotency_us => :idempotency_us
)
