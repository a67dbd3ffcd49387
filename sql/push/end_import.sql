-- name: end_import
-- why: frees the feed of an import that did not come to its end, retires what it had staged, and notes it in the history
-- :feed_id uuid
-- :import_id uuid
-- :code text
-- :detail text
-- :rows_received int
-- :body_bytes bigint
-- :elapsed_ms int
-- returns is_ended boolean
select is_ended
from end_import(
  imported_feed_id => :feed_id,
  ended_import_id => :import_id,
  moment => now(),
  ended_code => :code,
  ended_detail => :detail,
  rows_received => :rows_received,
  body_bytes => :body_bytes,
  elapsed_ms => :elapsed_ms
)
