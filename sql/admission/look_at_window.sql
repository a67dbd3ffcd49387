-- name: look_at_window
-- why: the state of a window and the price of a call, without counting one: for HEAD
-- $1 account_id uuid
-- $2 operation text
-- $3 feed_id uuid?
-- $4 window_us bigint
-- returns price_type text?, call_price_nanos bigint?, used int, oldest_us bigint
with clock as (
  select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint as now_us
)
select
  feeds.price_type,
  feeds.call_price_nanos,
  count(hits.hit_us)::int as used,
  least(min(hits.hit_us), clock.now_us) as oldest_us
from clock
left join feeds
  on feeds.feed_id = $3
left join rate_windows
  on rate_windows.account_id = $1
  and rate_windows.operation = $2
  and rate_windows.feed_id = coalesce($3, '00000000-0000-0000-0000-000000000000')
left join lateral unnest(rate_windows.hits) as hits (hit_us)
  on hits.hit_us > clock.now_us - $4::bigint
group by feeds.price_type, feeds.call_price_nanos, clock.now_us
