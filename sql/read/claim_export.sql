-- name: claim_export
-- why: counts an export in its limit, and records what its version shows, before it is charged
-- :export_id uuid
-- :account_id uuid
-- :feed_id uuid
-- :data_version bigint
-- :batch_number bigint
-- :last_position bigint
-- :exports_limit int
-- :window_us bigint
-- returns is_granted boolean, used int, reset_seconds bigint, retry_after_ms bigint?
select is_granted, used, reset_seconds, retry_after_ms
from claim_export(
  new_export_id => :export_id,
  reader_account_id => :account_id,
  exported_feed_id => :feed_id,
  shown_version => :data_version,
  shown_batch => :batch_number,
  shown_position => :last_position,
  exports_limit => :exports_limit,
  window_us => :window_us
)
