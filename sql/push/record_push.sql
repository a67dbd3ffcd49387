-- name: record_push
-- why: notes a refused push in the feed's history
-- :feed_id uuid
-- :code text
-- :detail text
-- :rows_received int
-- :body_bytes bigint
-- :duration_ms int
-- returns push_id bigint
insert into pushes (
  feed_id, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms
)
values (:feed_id, false, :code, :detail, :rows_received, 0, 0, 0, :body_bytes, :duration_ms)
returning push_id
