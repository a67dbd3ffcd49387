-- name: record_push
-- why: notes a refused push in the feed's history
-- $1 feed_id uuid
-- $2 code text
-- $3 detail text
-- $4 rows_received int
-- $5 body_bytes bigint
-- $6 duration_ms int
-- returns push_id bigint
insert into pushes (
  feed_id, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms
)
values ($1, false, $2, $3, $4, 0, 0, 0, $5, $6)
returning push_id
