-- name: find_key
-- why: the valid key with a hash, with everything that decides its account's reads
-- :key_hash bytea
-- :window_us bigint
-- returns key_id uuid, chain_id uuid, account_id uuid, permission text, key_end_us bigint?, daily_nanos bigint?,
--   feed_ids text?, is_agent boolean, has_grants boolean, sees_invited boolean, suspension_reason text?, now_us bigint,
--   news json
select
  keys.key_id,
  keys.chain_id,
  keys.account_id,
  keys.permission,
  epoch_us(keys.expires_at) as key_end_us,
  keys.daily_nanos,
  array_to_string(keys.feed_ids, ',') as feed_ids,
  exists (
    select from agent_connections as connected
    where connected.account_id = keys.account_id
      and connected.key_id = keys.chain_id
  ) as is_agent,
  exists (
    select from access_grants
    where access_grants.account_id = keys.account_id
  ) as has_grants,
  exists (
    select from access_grants
    where access_grants.account_id = keys.account_id
  ) or exists (
    select from feeds
    where feeds.account_id = keys.account_id
      and feeds.access = 'invited'
  ) as sees_invited,
  account.suspension_reason,
  clock.now_us,
  account.news
from api_keys as keys
cross join (select epoch_us(clock_timestamp()) as now_us) as clock
cross join lateral account_news(keys.account_id, -1, 0, clock.now_us, :window_us) as account
where keys.key_hash = :key_hash
  and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
