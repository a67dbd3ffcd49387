-- name: list_readers
-- why: the accounts that read a feed in a range of UTC days, the most reads first
-- Ranks at most :ranked_max accounts, so that even a feed that everybody reads takes no longer.
-- :feed_id uuid
-- :from_day text
-- :to_day text
-- :ranked_max int
-- :limit int
-- returns account_id uuid, account_name text, reads bigint, purchases bigint, spent_nanos bigint, last_day text
with readers as materialized (
  select account_id, max(day) as last_day
  from customer_days
  where scope_id = :feed_id
    and day between :from_day::text::date and :to_day::text::date
  group by account_id
  order by account_id
  limit :ranked_max::int
)
select
  readers.account_id,
  accounts.name as account_name,
  coalesce(spent.reads, 0)::bigint as reads,
  coalesce(spent.purchases, 0)::bigint as purchases,
  coalesce(spent.spent_nanos, 0)::bigint as spent_nanos,
  to_char(readers.last_day, 'YYYY-MM-DD') as last_day
from readers
join accounts
  on accounts.account_id = readers.account_id
cross join lateral (
  select
    sum(spending_days.reads) as reads,
    sum(spending_days.purchases) as purchases,
    sum(spending_days.charged_nanos - spending_days.refunded_nanos) as spent_nanos
  from spending_days
  where spending_days.account_id = readers.account_id
    and spending_days.feed_id = :feed_id
    and spending_days.day between :from_day::date and :to_day::date
) as spent
order by reads desc, readers.account_id
limit :limit::int
