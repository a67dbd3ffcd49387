-- name: prove_calls
-- why: what is true of calls now, before one is refused, or answered without being logged
-- $1 account_ids uuid[]
-- $2 known_generations bigint[]
-- $3 known_us bigint[]
-- $4 key_ids uuid[]
-- $5 feed_ids uuid[]
-- $6 idempotency_keys text[]
-- $7 window_us bigint
-- $8 idempotency_us bigint
-- returns now_us bigint, is_key_usable boolean, suspension_reason text?, news json, is_feed_readable boolean?,
--   definition_version bigint?, data_version bigint?, is_purchased boolean, query_hash text?, usage_id uuid?,
--   charge_nanos bigint?, happened_at timestamptz?, is_replayed boolean?, answered_version bigint?,
--   begins_after bigint?
select
  now_us, is_key_usable, suspension_reason, news, is_feed_readable, definition_version, data_version,
  is_purchased, query_hash, usage_id, charge_nanos, happened_at, is_replayed, answered_version,
  begins_after
from prove_calls($1, $2, $3, $4, $5, $6, $7, $8)
