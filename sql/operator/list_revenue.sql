-- name: list_revenue
-- why: what feeds have earned: charges of reads less refunds, and one-time purchases; the most first, from behind
-- the page before
-- A purchase that was undone is none.
-- All pages are as of one moment: reads, refunds and purchases that come later would move feeds from page to page. Only
-- a purchase that is undone between two pages is missing from the second.
-- :since timestamptz
-- :until timestamptz?
-- :account_id uuid?
-- :as_of timestamptz?
-- :after_earned_nanos bigint?
-- :after_feed_id uuid?
-- :limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text,
--   paid_reads bigint, charged_nanos bigint, refunded_nanos bigint, purchases bigint,
--   purchases_cents bigint, earned_nanos bigint, as_of timestamptz
with moment as (
  select least(coalesce(:as_of, now()), :until::timestamptz + interval '1 microsecond') as as_of
),
charges as (
  select
    usage_events.feed_id,
    usage_events.charge_nanos,
    usage_events.failed,
    coalesce(refund.created_at < moment.as_of, usage_events.refunded) as refunded
  from usage_events
  cross join moment
  left join credit_ledger as refund
    on usage_events.refunded
    and refund.reference = 'refund:' || usage_events.usage_id
  where usage_events.usage_id >= uuid_since(:since)
    and usage_events.happened_at >= :since
    and usage_events.happened_at < moment.as_of
    and usage_events.charge_nanos > 0
    -- A purchase counts as a sale.
    and usage_events.operation <> 'purchase'
),
reads as (
  select
    feed_id,
    count(*) as paid_reads,
    sum(charge_nanos) as charged_nanos,
    coalesce(sum(charge_nanos) filter (where refunded), 0) as refunded_nanos
  from charges
  where not (failed and refunded)
  group by feed_id
),
sales as (
  select feed_id, count(*) as purchases, sum(price_cents) as purchases_cents
  from purchases
  cross join moment
  where purchased_at >= :since
    and purchased_at < moment.as_of
  group by feed_id
),
earnings as (
  select
    feed_id,
    coalesce(reads.paid_reads, 0) as paid_reads,
    coalesce(reads.charged_nanos, 0) as charged_nanos,
    coalesce(reads.refunded_nanos, 0) as refunded_nanos,
    coalesce(sales.purchases, 0) as purchases,
    coalesce(sales.purchases_cents, 0) as purchases_cents,
    coalesce(reads.charged_nanos - reads.refunded_nanos, 0)
      + 10000000 * coalesce(sales.purchases_cents, 0) as earned_nanos
  from reads
  full join sales
    using (feed_id)
)
select
  feeds.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  earnings.paid_reads,
  earnings.charged_nanos::bigint as charged_nanos,
  earnings.refunded_nanos::bigint as refunded_nanos,
  earnings.purchases,
  earnings.purchases_cents::bigint as purchases_cents,
  earnings.earned_nanos::bigint as earned_nanos,
  moment.as_of
from earnings
cross join moment
join feeds
  on feeds.feed_id = earnings.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where (:account_id::uuid is null or feeds.account_id = :account_id)
  and (
    :after_feed_id::uuid is null
    or (earnings.earned_nanos, earnings.feed_id) < (:after_earned_nanos::bigint, :after_feed_id)
  )
order by earnings.earned_nanos desc, earnings.feed_id desc
limit :limit::int
