-- name: import_rows
-- why: stores a part of an import in one commit, if the import still has its claim
-- :feed_id uuid
-- :import_id uuid
-- :definition_version bigint
-- :account_id uuid
-- :key_id uuid
-- :row_texts text
-- :row_ids text[]
-- :event_times timestamptz[]
-- :part_rows int
-- :body_bytes bigint
-- returns outcome text, rows_inserted int?, repeated_ids json?, data_version bigint?
select outcome, rows_inserted, to_json(repeated_ids) as repeated_ids, data_version
from import_rows(
  imported_feed_id => :feed_id,
  running_import_id => :import_id,
  planned_version => :definition_version,
  pusher_account_id => :account_id,
  pusher_key_id => :key_id,
  row_texts => :row_texts,
  row_ids => :row_ids,
  event_times => :event_times,
  part_rows => :part_rows,
  body_bytes => :body_bytes
)
