-- name: list_key_budgets
-- why: an account's valid keys with a daily budget and today's spending, the most used budget first
-- Omits keys that were created for sessions. A key and its replacements share one budget.
-- :account_id uuid
-- :limit int
-- returns key_id uuid, key_start text, name text?, is_agent boolean, daily_nanos bigint, spent_nanos bigint
select
  keys.key_id,
  keys.key_start,
  keys.name,
  exists (
    select from agent_connections as connected
    where connected.account_id = keys.account_id
      and connected.key_id = keys.chain_id
  ) as is_agent,
  keys.daily_nanos,
  coalesce(spending.spent_nanos, 0) as spent_nanos
from api_keys as keys
left join key_spending as spending
  on spending.account_id = keys.account_id
  and spending.key_id = keys.chain_id
  and spending.day = utc_day(epoch_us(clock_timestamp()))
where keys.account_id = :account_id
  and keys.daily_nanos is not null
  and not keys.for_session
  and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
order by
  coalesce(spending.spent_nanos, 0)::numeric / greatest(keys.daily_nanos, 1) desc,
  keys.created_at,
  keys.key_id
limit :limit::int
