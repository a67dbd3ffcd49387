-- name: finish_import
-- why: shows imported rows to readers, and records the import as one push
-- :feed_id uuid
-- :import_id uuid
-- :definition_version bigint
-- :account_id uuid
-- :key_id uuid
-- :feed_type text
-- :rows_received int
-- :rows_inserted int
-- :body_bytes bigint
-- :elapsed_ms int
-- :actor text
-- returns outcome text, status text?, last_sync_at timestamptz?, data_version bigint?
select outcome, status, last_sync_at, data_version
from finish_import(
  imported_feed_id => :feed_id,
  running_import_id => :import_id,
  planned_version => :definition_version,
  pusher_account_id => :account_id,
  pusher_key_id => :key_id,
  imported_type => :feed_type,
  rows_received => :rows_received,
  rows_inserted => :rows_inserted,
  body_bytes => :body_bytes,
  elapsed_ms => :elapsed_ms,
  actor => :actor
)
