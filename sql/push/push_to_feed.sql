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
-- returns outcome text, status text?, row_outcomes text?, is_staged boolean?,
--   last_sync_at timestamptz?, data_version bigint?, window_used int?, reset_seconds bigint?, retry_after_ms int?
with admitted as materialized (
  select admission, window_used, reset_seconds, retry_after_ms
  from admit_push($1, $13, $14, $3, $15, $16)
)
select
  coalesce(written.outcome, admitted.admission) as outcome,
  written.status, written.row_outcomes, written.is_staged, written.last_sync_at,
  written.data_version,
  admitted.window_used, admitted.reset_seconds, admitted.retry_after_ms
from admitted
-- With a fresh snapshot, under the lock that admit_push took.
cross join lateral write_push(
  case when admitted.admission = 'granted' then $1::uuid end, $2, $4, $5, $6, $7, $8, $9, $10, $11,
  $12, $14
) as written
