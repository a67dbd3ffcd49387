-- name: grant_read
-- why: the read that waits alone costs half of what it costs in a batch
-- $1 account_id uuid
-- $2 key_id uuid
-- $3 operation text
-- $4 feed_id uuid?
-- $5 planned_version bigint?
-- $6 limit_free int
-- $7 limit_paid int
-- $8 window_us bigint
-- $9 batch_token text
-- returns decided_us bigint, usage_id uuid?, charge_nanos bigint, balance_nanos bigint,
--   window_limit int, window_used int, oldest_us bigint, data_version bigint?
select
  decided_us, usage_id, charge_nanos, balance_nanos, window_limit, window_used, oldest_us, data_version
from grant_read($1, $2, $3, $4, $5, $6, $7, $8, $9)
