-- name: list_spending
-- why: credits that an account has spent in a range of UTC days, by day, feed, or key
-- Reads only the daily totals. Every day of the range has a row. The last row is the total.
-- :account_id uuid
-- :from_day text
-- :to_day text
-- :group_by text
-- returns group_name text?, label text?, reads bigint, purchases bigint, charged_nanos bigint, refunded_nanos bigint,
--   is_final boolean, complete_until timestamptz?
with asked as (
  select
    :from_day::text::date as from_day,
    :to_day::text::date as to_day,
    (select complete_until from totals_progress where name = 'sales') as complete_until
),
sums as materialized (
  select
    grouping(spent.group_name) = 1 as is_whole,
    spent.group_name,
    case when :group_by::text <> 'day' then nullif(spent.group_name, '')::uuid end as group_id,
    sum(spent.reads) as reads,
    sum(spent.purchases) as purchases,
    sum(spent.charged_nanos) as charged_nanos,
    sum(spent.refunded_nanos) as refunded_nanos
  from (
    select
      spending_days.*,
      case :group_by
        when 'day' then to_char(spending_days.day, 'YYYY-MM-DD')
        when 'feed' then spending_days.feed_id::text
        else coalesce(spending_days.key_id::text, '')
      end as group_name
    from asked
    join spending_days
      on spending_days.account_id = :account_id
      and spending_days.day between asked.from_day and asked.to_day
  ) as spent
  group by grouping sets ((spent.group_name), ())
),
groups as (
  select to_char(day, 'YYYY-MM-DD') as group_name, null as label, day::date as last_day, false as is_whole
  from asked
  cross join generate_series(from_day::timestamp, to_day::timestamp, interval '1 day') as day
  where :group_by = 'day'
  union all
  select sums.group_name, coalesce(feeds.name, api_keys.name), asked.to_day, false
  from asked
  cross join sums
  left join feeds
    on :group_by = 'feed'
    and feeds.feed_id = sums.group_id
  left join api_keys
    on :group_by = 'key'
    and api_keys.account_id = :account_id
    and api_keys.key_id = sums.group_id
  where :group_by <> 'day'
    and not sums.is_whole
  union all
  select null, null, to_day, true
  from asked
)
select
  groups.group_name,
  groups.label,
  coalesce(sums.reads, 0)::bigint as reads,
  coalesce(sums.purchases, 0)::bigint as purchases,
  coalesce(sums.charged_nanos, 0)::bigint as charged_nanos,
  coalesce(sums.refunded_nanos, 0)::bigint as refunded_nanos,
  coalesce(
    (groups.last_day + 1)::timestamp at time zone 'UTC' <= asked.complete_until, false
  ) as is_final,
  asked.complete_until
from groups
cross join asked
left join sums
  on sums.is_whole = groups.is_whole
  and (groups.is_whole or sums.group_name = groups.group_name)
order by
  groups.is_whole,
  case when :group_by <> 'day' then coalesce(sums.charged_nanos, 0) end desc,
  groups.group_name
