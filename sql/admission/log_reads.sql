-- name: log_reads
-- why: charges and logs all reads that wait, in one round trip and one commit
-- $1 batch_token text
-- $2 new_version bigint
-- $3 clock_us bigint
-- $4 window_us bigint
-- $5 account_ids uuid[]
-- $6 known_versions bigint[]
-- $7 known_generations bigint[]
-- $8 known_us bigint[]
-- $9 amounts bigint[]
-- $10 account_numbers int[]
-- $11 operations text[]
-- $12 feed_ids uuid[]
-- $13 definition_versions bigint[]
-- $14 data_versions bigint[]
-- $15 charges bigint[]
-- $16 key_ids uuid[]
-- $17 key_ends bigint[]
-- $18 remembered_reads int[]
-- $19 idempotency_keys text[]
-- $20 query_hashes text[]
-- $21 answered_versions bigint[]
-- $22 beginnings bigint[]
-- $23 budget_accounts int[]
-- $24 budget_keys uuid[]
-- $25 budget_amounts bigint[]
-- returns decided_us bigint, verdicts text?, seen_versions text?, balances text?, news json?
select decided_us, verdicts, seen_versions, balances, news
from log_reads(
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
  $21, $22, $23, $24, $25
)
