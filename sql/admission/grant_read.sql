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
-- returns decided_us bigint, outcomes text, usage_ids text, charges_nanos text,
--   balances_nanos text, window_limits text, windows_used text, frees_us text, oldest_us text,
--   data_versions text, replayed_us text
select
  decided_us, outcomes, usage_ids, charges_nanos, balances_nanos, window_limits, windows_used,
  frees_us, oldest_us, data_versions, replayed_us
from grant_read($1, $2, $3, $4, $5, $6, $7, $8, $9)
