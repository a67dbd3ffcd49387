-- name: log_reads
-- why: charges and logs all pending reads, in one round trip and one commit
-- :batch_token text
-- :new_version bigint
-- :clock_us bigint
-- :window_us bigint
-- :account_ids uuid[]
-- :known_versions bigint[]
-- :known_generations bigint[]
-- :known_us bigint[]
-- :amounts bigint[]
-- :account_numbers int[]
-- :operations text[]
-- :feed_ids uuid[]
-- :definition_versions bigint[]
-- :data_versions bigint[]
-- :charges bigint[]
-- :key_ids uuid[]
-- :key_ends bigint[]
-- :remembered_reads int[]
-- :idempotency_keys text[]
-- :query_hashes text[]
-- :answered_versions bigint[]
-- :beginnings bigint[]
-- :budget_accounts int[]
-- :budget_keys uuid[]
-- :budget_amounts bigint[]
-- returns decided_us bigint, verdicts text?, seen_versions text?, balances text?, news json?
select decided_us, verdicts, seen_versions, balances, news
from log_reads(
  batch_token => :batch_token,
  new_version => :new_version,
  clock_us => :clock_us,
  window_us => :window_us,
  account_ids => :account_ids,
  known_versions => :known_versions,
  known_generations => :known_generations,
  known_us => :known_us,
  amounts => :amounts,
  account_numbers => :account_numbers,
  operations => :operations,
  feed_ids => :feed_ids,
  definition_versions => :definition_versions,
  data_versions => :data_versions,
  charges => :charges,
  key_ids => :key_ids,
  key_ends => :key_ends,
  remembered_reads => :remembered_reads,
  idempotency_keys => :idempotency_keys,
  query_hashes => :query_hashes,
  answered_versions => :answered_versions,
  beginnings => :beginnings,
  budget_accounts => :budget_accounts,
  budget_keys => :budget_keys,
  budget_amounts => :budget_amounts
)
