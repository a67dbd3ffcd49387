-- name: list_agents
-- why: an account's connected agents, or one by its chain of keys, with their spending today, newest first
-- :account_id uuid
-- :chain_id uuid?
-- :limit int
-- returns key_id uuid, name text?, created_at timestamptz, expires_at timestamptz?, daily_nanos bigint?,
--   feed_ids text?, spent_nanos bigint
select
  agents.key_id,
  agents.name,
  agents.created_at,
  agents.expires_at,
  agents.daily_nanos,
  array_to_string(agents.feed_ids, ',') as feed_ids,
  coalesce(spending.spent_nanos, 0) as spent_nanos
from agents_of(:account_id) as agents
left join key_spending as spending
  on spending.account_id = :account_id
  and spending.key_id = agents.chain_id
  and spending.day = utc_day(epoch_us(clock_timestamp()))
where (:chain_id::uuid is null or agents.chain_id = :chain_id)
order by agents.created_at desc, agents.key_id
limit :limit::int
