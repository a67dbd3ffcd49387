-- name: end_import
-- why: releases the feed of an import that did not finish, retires its staged rows, and records it in the history
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
