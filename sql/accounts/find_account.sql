-- name: find_account
-- why: an account with its balance and the budget of one of its keys, for its owner
-- :account_id uuid
-- :key_id uuid
-- returns account_id uuid, name text, balance_nanos bigint, daily_nanos bigint?, spent_nanos bigint,
--   day int, has_agents boolean
select
  accounts.account_id,
  accounts.name,
  accounts.balance_nanos,
  keys.daily_nanos,
  coalesce(spending.spent_nanos, 0) as spent_nanos,
  today.day,
  exists (
    select from agent_connections as connected
    where connected.account_id = accounts.account_id
      and connected.key_id is not null
  ) as has_agents
from accounts
cross join (select utc_day(epoch_us(clock_timestamp())) as day) as today
left join api_keys as keys
  on keys.key_id = :key_id
left join key_spending as spending
  on spending.account_id = accounts.account_id
  and spending.key_id = keys.chain_id
  and spending.day = today.day
where accounts.account_id = :account_id
