-- name: find_key
-- why: the key behind a hash, if it holds, with all that its account's reads are decided by
-- $1 key_hash bytea
-- $2 window_us bigint
-- returns key_id uuid, account_id uuid, permission text, key_end_us bigint?, now_us bigint,
--   version bigint, generation bigint, balance_nanos bigint, logged_us bigint, events json
select
  keys.key_id,
  keys.account_id,
  keys.permission,
  epoch_us(keys.expires_at) as key_end_us,
  clock.now_us,
  news.version,
  news.generation,
  news.balance_nanos,
  news.logged_us,
  news.events
from api_keys as keys
cross join (select epoch_us(clock_timestamp()) as now_us) as clock
cross join lateral account_news(keys.account_id, -1, 0, clock.now_us, $2) as news
where keys.key_hash = $1
  and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
