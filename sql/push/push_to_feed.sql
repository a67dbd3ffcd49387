-- name: push_to_feed
-- why: admits and stores one push, all or nothing, in one round trip and one commit
-- :feed_id uuid
-- :feed_type text
-- :definition_version bigint
-- :row_count int
-- :row_texts text
-- :row_ids text[]
-- :event_times timestamptz[]
-- :batch_id text?
-- :is_complete boolean
-- :is_dry_run boolean
-- :body_bytes bigint
-- :elapsed_ms int
-- :account_id uuid
-- :key_id uuid
-- :actor text
-- :window_limit int
-- :window_us bigint
-- returns outcome text, status text?, row_outcomes text?, is_staged boolean?,
--   last_sync_at timestamptz?, data_version bigint?, window_used int?, reset_seconds bigint?, retry_after_ms int?
with admitted as materialized (
  select admission, window_used, reset_seconds, retry_after_ms
  from admit_push(
    pushed_feed_id => :feed_id,
    pusher_account_id => :account_id,
    pusher_key_id => :key_id,
    planned_version => :definition_version,
    window_limit => :window_limit,
    window_us => :window_us
  )
)
select
  coalesce(written.outcome, admitted.admission) as outcome,
  written.status, written.row_outcomes, written.is_staged, written.last_sync_at,
  written.data_version,
  admitted.window_used, admitted.reset_seconds, admitted.retry_after_ms
from admitted
-- With a fresh snapshot, under the lock that admit_push took.
cross join lateral write_push(
  pushed_feed_id => case when admitted.admission = 'granted' then :feed_id::uuid end,
  pushed_type => :feed_type,
  row_count => :row_count,
  row_texts => :row_texts,
  row_ids => :row_ids,
  event_times => :event_times,
  pushed_batch_id => :batch_id,
  is_complete => :is_complete,
  is_dry_run => :is_dry_run,
  body_bytes => :body_bytes,
  elapsed_ms => :elapsed_ms,
  actor => :actor
) as written
