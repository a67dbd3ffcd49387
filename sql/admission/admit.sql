-- name: admit
-- why: decides every waiting read in one round trip and one commit
-- $1 account_ids uuid[]
-- $2 account_numbers int[]
-- $3 window_numbers int[]
-- $4 key_ids uuid[]
-- $5 operations text[]
-- $6 feed_ids uuid[]
-- $7 planned_versions bigint[]
-- $8 limits int[]
-- $9 limits_paid int[]
-- $10 idempotency_keys text[]
-- $11 query_hashes text[]
-- $12 window_us bigint
-- $13 idempotency_us bigint
-- $14 batch_token text
-- returns decided_us bigint, outcomes text, usage_ids text, charges_nanos text,
--   balances_nanos text, window_limits text, windows_used text, frees_us text, oldest_us text,
--   data_versions text, replayed_us text
select
  decided_us, outcomes, usage_ids, charges_nanos, balances_nanos, window_limits, windows_used,
  frees_us, oldest_us, data_versions, replayed_us
from admit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
