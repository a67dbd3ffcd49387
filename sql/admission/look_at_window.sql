-- name: look_at_window
-- why: the state of a window and the charge of a call, without counting one: for HEAD
-- $1 account_id uuid
-- $2 operation text
-- $3 feed_id uuid?
-- $4 limit_free int
-- $5 limit_paid int
-- $6 window_us bigint
-- returns has_feed boolean, charge_nanos bigint, window_limit int, used int, oldest_us bigint
with clock as (
  select epoch_us(clock_timestamp()) as now_us
)
select
  feeds.feed_id is not null as has_feed,
  charge_of_call($2, feeds.price_type, feeds.call_price_nanos) as charge_nanos,
  window_limit_of(feeds.price_type, $4, $5) as window_limit,
  count(hits.hit_us)::int as used,
  least(min(hits.hit_us), clock.now_us) as oldest_us
from clock
left join feeds
  on feeds.feed_id = $3
left join rate_windows
  on rate_windows.account_id = $1
  and rate_windows.operation = $2
  and rate_windows.feed_id = window_feed_of($2, $3)
left join lateral unnest(rate_windows.hits) as hits (hit_us)
  on hits.hit_us > clock.now_us - $6::bigint
group by feeds.feed_id, feeds.price_type, feeds.call_price_nanos, clock.now_us
