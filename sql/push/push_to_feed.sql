-- name: push_to_feed
-- why: admits and stores one push, whole, in one round trip and one commit
-- $1 feed_id uuid
-- $2 feed_type text
-- $3 definition_version bigint
-- $4 row_count int
-- $5 row_texts text
-- $6 row_ids text[]
-- $7 event_times timestamptz[]
-- $8 batch_id text?
-- $9 is_complete boolean
-- $10 is_dry_run boolean
-- $11 body_bytes bigint
-- $12 elapsed_ms int
-- $13 account_id uuid
-- $14 key_id uuid
-- $15 window_limit int
-- $16 window_us bigint
-- returns outcome text, status text?, row_outcomes text?, last_sync_at timestamptz?,
--   data_version bigint?, window_used int?, reset_seconds bigint?, retry_after_ms int?
select
  outcome, status, row_outcomes, last_sync_at, data_version, window_used, reset_seconds,
  retry_after_ms
from store_push($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
