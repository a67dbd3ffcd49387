-- name: admit
-- why: decides every waiting read in one round trip and one commit
-- $1 account_ids uuid[]
-- $2 account_numbers int[]
-- $3 window_numbers int[]
-- $4 key_ids uuid[]
-- $5 operations text[]
-- $6 feed_ids uuid[]
-- $7 definition_versions bigint[]
-- $8 limits int[]
-- $9 limits_paid int[]
-- $10 idempotency_keys text[]
-- $11 query_hashes text[]
-- $12 window_us bigint
-- $13 idempotency_us bigint
-- $14 batch_token text
-- returns outcome text, usage_id uuid?, happened_us bigint, charge_nanos bigint,
--   balance_nanos bigint, window_limit int, window_used int, frees_us bigint?, oldest_us bigint,
--   data_version bigint?, definition_version bigint?
select
  outcome, usage_id, happened_us, charge_nanos, balance_nanos, window_limit, window_used, frees_us,
  oldest_us, data_version, definition_version
from admit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  with ordinality as decisions (
    outcome, usage_id, happened_us, charge_nanos, balance_nanos, window_limit, window_used, frees_us,
    oldest_us, data_version, definition_version, place
  )
order by place
