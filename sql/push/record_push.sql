-- name: record_push
-- why: records refused pushes in the feed's history; pushes over the rate limit share one row a minute
-- :feed_id uuid
-- :code text
-- :detail text
-- :rows_received int
-- :body_bytes bigint
-- :duration_ms int
-- :batch_id text?
-- :times int
-- returns push_id bigint
insert into pushes (
  feed_id, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
  body_bytes, duration_ms, batch_id, times
)
values (
  :feed_id, false, :code, :detail, :rows_received, 0, 0, 0,
  :body_bytes, :duration_ms, :batch_id, :times
)
on conflict (feed_id, date_trunc('minute', pushed_at at time zone 'UTC')) where code = 'RATE_LIMITED'
do update
set times = pushes.times + excluded.times
returning push_id
