-- name: list_earnings
-- why: a provider's sales in a range of UTC days, by day, month, feed, or provider, and in total
-- Reads only the daily totals. Without an account, the sales of all providers. Every day or month of the range has a
-- row, and every feed or provider with sales. The last row is the total.
-- :account_id uuid?
-- :from_day text
-- :to_day text
-- :group_by text
-- returns group_name text?, group_id uuid?, label text?, reads bigint, paid_reads bigint, accounts bigint,
--   purchases bigint, gross_nanos bigint, refunded_nanos bigint, fee_nanos bigint, is_final boolean,
--   complete_until timestamptz?
with asked as (
  select
    :from_day::text::date as from_day,
    :to_day::text::date as to_day,
    (select complete_until from totals_progress where name = 'sales') as complete_until
),
sold as materialized (
  select
    case :group_by::text
      when 'day' then to_char(earning_days.day, 'YYYY-MM-DD')
      when 'month' then to_char(earning_days.day, 'YYYY-MM')
      when 'feed' then earning_days.feed_id::text
      else earning_days.account_id::text
    end as group_name,
    case :group_by
      when 'feed' then earning_days.feed_id
      when 'account' then earning_days.account_id
    end as group_id,
    reads,
    paid_reads,
    purchases,
    gross_nanos,
    refunded_nanos,
    fee_nanos
  from asked
  cross join lateral (
    -- PostgreSQL runs only one of the two halves.
    select own.*
    from earning_days as own
    where own.account_id = :account_id
      and own.day between asked.from_day and asked.to_day
    union all
    select every_one.*
    from earning_days as every_one
    where :account_id::uuid is null
      and every_one.day between asked.from_day and asked.to_day
  ) as earning_days
),
sums as (
  select
    group_name,
    grouping(group_name) = 1 as is_whole,
    sum(reads) as reads,
    sum(paid_reads) as paid_reads,
    sum(purchases) as purchases,
    sum(gross_nanos) as gross_nanos,
    sum(refunded_nanos) as refunded_nanos,
    sum(fee_nanos) as fee_nanos
  from sold
  group by grouping sets ((group_name), ())
),
groups as (
  select
    to_char(day, 'YYYY-MM-DD') as group_name, null::uuid as group_id, null as label,
    day::date as first_day, day::date as last_day, false as is_whole
  from asked
  cross join generate_series(from_day::timestamp, to_day::timestamp, interval '1 day') as day
  where :group_by = 'day'
  union all
  select
    to_char(month, 'YYYY-MM'), null, null, greatest(month::date, from_day),
    least((month + interval '1 month - 1 day')::date, to_day), false
  from asked
  cross join generate_series(
    date_trunc('month', from_day::timestamp), to_day::timestamp, interval '1 month'
  ) as month
  where :group_by = 'month'
  union all
  select
    sellers.group_id::text, sellers.group_id, coalesce(feeds.name, accounts.name), from_day, to_day,
    false
  from asked
  cross join (select distinct group_id from sold where group_id is not null) as sellers
  left join feeds
    on :group_by = 'feed'
    and feeds.feed_id = sellers.group_id
  left join accounts
    on :group_by = 'account'
    and accounts.account_id = sellers.group_id
  union all
  select null, null, null, from_day, to_day, true
  from asked
)
select
  groups.group_name,
  groups.group_id,
  groups.label,
  coalesce(sums.reads, 0)::bigint as reads,
  coalesce(sums.paid_reads, 0)::bigint as paid_reads,
  customers.accounts,
  coalesce(sums.purchases, 0)::bigint as purchases,
  coalesce(sums.gross_nanos, 0)::bigint as gross_nanos,
  coalesce(sums.refunded_nanos, 0)::bigint as refunded_nanos,
  coalesce(sums.fee_nanos, 0)::bigint as fee_nanos,
  coalesce(
    (groups.last_day + 1)::timestamp at time zone 'UTC' <= asked.complete_until, false
  ) as is_final,
  asked.complete_until
from groups
cross join asked
left join sums
  on sums.is_whole = groups.is_whole
  -- By equality, so that PostgreSQL can use a hash join. No group has an empty name.
  and coalesce(sums.group_name, '') = coalesce(groups.group_name, '')
cross join lateral (
  select coalesce(sum(customer_counts.accounts), 0)::bigint as accounts
  from customer_counts
  where customer_counts.scope_id = coalesce(groups.group_id, :account_id, every_provider())
    and customer_counts.day between groups.first_day and groups.last_day
    and customer_counts.previous_day < groups.first_day
) as customers
order by
  groups.is_whole,
  case when groups.group_id is not null then coalesce(sums.gross_nanos, 0) end desc,
  groups.group_name
