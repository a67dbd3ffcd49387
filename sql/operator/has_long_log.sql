-- name: has_long_log
-- why: whether an account's usage log has more than a number of events, without counting the rest
-- :account_id uuid
-- :events_max int
-- returns is_long boolean
select count(*) > :events_max::int as is_long
from (
  select usage_id
  from usage_events
  where account_id = :account_id
  order by usage_id desc
  limit :events_max::int + 1
) as newest
