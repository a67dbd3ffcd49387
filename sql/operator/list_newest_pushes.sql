-- name: list_newest_pushes
-- why: what became of a feed's newest pushes, refused ones too
-- :feed_id uuid
-- :limit int
-- returns pushed_at timestamptz, stored boolean, code text?, detail text?, rows_received int,
--   rows_inserted int, rows_updated int, rows_duplicate int, body_bytes bigint, duration_ms int
select
  pushed_at, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms
from pushes
where feed_id = :feed_id
order by pushed_at desc, push_id desc
limit :limit::int
