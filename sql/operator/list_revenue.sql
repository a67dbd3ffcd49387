-- name: list_revenue
-- why: sales of feeds in a range of UTC days, highest first, after the previous page
-- Includes the daily totals and sales that are not in them yet. All pages are ordered as of the same time. Later sales
-- would move feeds between pages, so they are subtracted, including those that were undone since. Refunds move nothing,
-- and are as of each page. The time is earlier than every sale that may still be committed.
-- :from_day text
-- :to_day text
-- :account_id uuid?
-- :as_of timestamptz?
-- :after_gross_nanos bigint?
-- :after_feed_id uuid?
-- :limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text, reads bigint,
--   paid_reads bigint, purchases bigint, gross_nanos bigint, refunded_nanos bigint, fee_nanos bigint, as_of timestamptz
with asked as (
  select
    :from_day::text::date as from_day,
    :to_day::text::date as to_day,
    coalesce(
      :as_of::timestamptz,
      greatest(
        least(now(), oldest_writer_since()),
        -- If the clock was set back, sales with earlier times are yet to come, and are still part of the report.
        (
          select max(happened_at) + interval '1 microsecond'
          from usage_events
          where usage_id >= uuid_since(now())
            and happened_at > now()
        ),
        (
          select max(purchased_at) + interval '1 microsecond'
          from purchases
          where purchased_at > now()
        )
      )
    ) as as_of
),
rates as materialized (
  select
    since,
    coalesce(lead(since) over (order by since), 'infinity') as until,
    rate_millionths
  from fee_rates
),
-- What the daily totals lack (1), and what they must not include (-1).
moved as (
  select
    feed_id, counts_at, sold_at, reads, paid_reads, purchases, gross_nanos, refunded_nanos, 1 as sign
  from waiting_sales(null)
  union all
  select
    usage_events.feed_id, usage_events.happened_at, usage_events.happened_at,
    (usage_events.operation <> 'purchase')::int,
    (usage_events.operation <> 'purchase' and usage_events.charge_nanos > 0)::int,
    (usage_events.operation = 'purchase')::int,
    usage_events.charge_nanos, 0, -1
  from asked
  join usage_events
    on usage_events.usage_id >= uuid_since(asked.as_of)
    and usage_events.happened_at >= asked.as_of
  where usage_events.operation in ('data', 'stream', 'export', 'purchase')
    and usage_events.feed_id is not null
    and not usage_events.failed
  union all
  select
    purchases.feed_id, purchases.purchased_at, purchases.purchased_at, 0, 0, 1,
    purchases.price_cents * 10000000, 0, -1
  from asked
  join purchases
    on purchases.purchased_at >= asked.as_of
  -- The others are in the log.
  where purchases.entry_id is not null
  union all
  -- Purchases that were paid for elsewhere and undone since. The ledger has their price only as text.
  select
    bought.feed_id, bought.created_at, bought.created_at, 0, 0, 1,
    substring(bought.reason from ' for ([0-9]+) cents$')::bigint * 10000000, 0, -1
  from (
    select distinct audit_events.account_id, audit_events.feed_id
    from asked
    join audit_events
      on audit_events.happened_at >= asked.as_of
    where audit_events.action = 'purchase undo'
  ) as undone
  cross join asked
  join credit_ledger as bought
    on bought.account_id = undone.account_id
    and bought.feed_id = undone.feed_id
    and bought.kind = 'purchase'
    and bought.created_at >= asked.as_of
  where not exists (select from purchases where purchases.entry_id = bought.entry_id)
),
days as (
  select
    earning_days.feed_id, earning_days.day, earning_days.reads, earning_days.paid_reads,
    earning_days.purchases, earning_days.gross_nanos, earning_days.refunded_nanos,
    earning_days.fee_parts
  from asked
  join earning_days
    on earning_days.day between asked.from_day and asked.to_day
  where :account_id::uuid is null
    or earning_days.account_id = :account_id
  union all
  select
    moved.feed_id,
    (moved.counts_at at time zone 'UTC')::date,
    moved.sign * moved.reads,
    moved.sign * moved.paid_reads,
    moved.sign * moved.purchases,
    moved.sign * moved.gross_nanos,
    moved.sign * moved.refunded_nanos,
    moved.sign * (moved.gross_nanos - moved.refunded_nanos)::numeric * rates.rate_millionths
  from asked
  join moved
    on (moved.counts_at at time zone 'UTC')::date between asked.from_day and asked.to_day
  join rates
    on moved.sold_at >= rates.since
    and moved.sold_at < rates.until
),
feed_days as (
  select
    feed_id,
    sum(reads) as reads,
    sum(paid_reads) as paid_reads,
    sum(purchases) as purchases,
    sum(gross_nanos) as gross_nanos,
    sum(refunded_nanos) as refunded_nanos,
    -- As in earning_days.
    trunc(sum(fee_parts) / 1000000) as fee_nanos
  from days
  group by feed_id, day
),
revenue as (
  select
    feed_id,
    sum(reads)::bigint as reads,
    sum(paid_reads)::bigint as paid_reads,
    sum(purchases)::bigint as purchases,
    sum(gross_nanos)::bigint as gross_nanos,
    sum(refunded_nanos)::bigint as refunded_nanos,
    sum(fee_nanos)::bigint as fee_nanos
  from feed_days
  group by feed_id
)
select
  feeds.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  revenue.reads,
  revenue.paid_reads,
  revenue.purchases,
  revenue.gross_nanos,
  revenue.refunded_nanos,
  revenue.fee_nanos,
  asked.as_of
from revenue
cross join asked
join feeds
  on feeds.feed_id = revenue.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where (revenue.gross_nanos <> 0 or revenue.refunded_nanos <> 0)
  and (:account_id::uuid is null or feeds.account_id = :account_id)
  and (
    :after_feed_id::uuid is null
    or (revenue.gross_nanos, revenue.feed_id) < (:after_gross_nanos::bigint, :after_feed_id)
  )
order by revenue.gross_nanos desc, revenue.feed_id desc
limit :limit::int
