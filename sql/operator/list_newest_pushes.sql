-- name: list_newest_pushes
-- why: what became of a feed's newest pushes, refused ones too
-- $1 feed_id uuid
-- $2 limit int
-- returns pushed_at timestamptz, stored boolean, code text?, detail text?, rows_received int,
--   rows_inserted int, rows_updated int, rows_duplicate int, body_bytes bigint, duration_ms int
select
  pushed_at, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms
from pushes
where feed_id = $1
order by pushed_at desc, push_id desc
limit $2::int
