-- name: list_pushes
-- why: the outcomes of a feed's newest pushes, including refused ones, after the previous page
-- :feed_id uuid
-- :kept interval
-- :before_pushed_at timestamptz?
-- :before_push_id bigint?
-- :limit int
-- returns push_id bigint, pushed_at timestamptz, stored boolean, code text?, detail text?, rows_received int,
--   rows_inserted int, rows_updated int, rows_duplicate int, body_bytes bigint, duration_ms int, batch_id text?,
--   times int
select
  push_id, pushed_at, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms, batch_id, times
from pushes
where feed_id = :feed_id
  and pushed_at >= now() - :kept::interval
  and (
    :before_push_id::bigint is null
    or (pushed_at, push_id) < (:before_pushed_at::timestamptz, :before_push_id)
  )
order by pushed_at desc, push_id desc
limit :limit::int
