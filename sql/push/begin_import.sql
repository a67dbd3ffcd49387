-- name: begin_import
-- why: admits an import as one push and claims the feed for it, in one round trip and one commit
-- :feed_id uuid
-- :account_id uuid
-- :key_id uuid
-- :definition_version bigint
-- :window_limit int
-- :window_us bigint
-- :feed_type text
-- :import_id uuid
-- :lease interval
-- returns outcome text, window_used int?, reset_seconds bigint?, retry_after_ms int?
select admission as outcome, window_used, reset_seconds, retry_after_ms
from begin_import(
  pushed_feed_id => :feed_id,
  pusher_account_id => :account_id,
  pusher_key_id => :key_id,
  planned_version => :definition_version,
  window_limit => :window_limit,
  window_us => :window_us,
  imported_type => :feed_type,
  new_import_id => :import_id,
  lease => :lease
)
