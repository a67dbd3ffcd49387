-- name: admit
-- why: decides every waiting read in one round trip and one commit
-- $1 key_ids uuid[]
-- $2 operations text[]
-- $3 feed_ids uuid[]
-- $4 definition_versions bigint[]
-- $5 limits int[]
-- $6 limits_paid int[]
-- $7 idempotency_keys text[]
-- $8 query_hashes text[]
-- $9 window_us bigint
-- $10 idempotency_us bigint
-- returns place int, outcome text, usage_id uuid?, happened_us bigint, charge_nanos bigint,
--   price_nanos bigint, balance_nanos bigint?, window_limit int, window_used int, frees_us bigint,
--   oldest_us bigint, data_version bigint?, definition_version bigint?, push_count bigint?
select
  place, outcome, usage_id, happened_us, charge_nanos, price_nanos, balance_nanos, window_limit,
  window_used, frees_us, oldest_us, data_version, definition_version, push_count
from admit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
order by place
