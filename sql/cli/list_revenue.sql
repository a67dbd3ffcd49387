-- name: list_revenue
-- why: what feeds have earned: charges of reads less refunds, and one-time purchases; the most first, from behind
-- the page before
-- A purchase that was undone is none. A feed that earned nothing stands behind all that did.
-- $1 since timestamptz
-- $2 after_feed_id uuid?
-- $3 limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text,
--   paid_reads bigint, charged_nanos bigint, refunded_nanos bigint, purchases bigint,
--   purchases_cents bigint
with reads as (
  select
    feed_id,
    count(*) as paid_reads,
    sum(charge_nanos) as charged_nanos,
    coalesce(sum(charge_nanos) filter (where refunded), 0) as refunded_nanos
  from usage_events
  where usage_id >= uuid_since($1)
    and happened_at >= $1
    and charge_nanos > 0
    and not failed
  group by feed_id
),
sales as (
  select feed_id, count(*) as purchases, sum(price_cents) as purchases_cents
  from purchases
  where purchased_at >= $1
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
  earnings.purchases_cents::bigint as purchases_cents
from earnings
join feeds
  on feeds.feed_id = earnings.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where $2::uuid is null
  or (earnings.earned_nanos, earnings.feed_id) < (
    select coalesce(max(earned_nanos), -1), $2::uuid from earnings where feed_id = $2
  )
order by earnings.earned_nanos desc, earnings.feed_id desc
limit $3::int
