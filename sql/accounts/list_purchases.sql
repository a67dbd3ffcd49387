-- name: list_purchases
-- why: purchases of accounts that were not undone, newest first, after the previous page
-- :account_id uuid?
-- :feed_id uuid?
-- :since timestamptz?
-- :until timestamptz?
-- :before_purchased_at timestamptz?
-- :before_purchase_id uuid?
-- :limit int
-- returns purchase_id uuid, entry_id bigint?, account_id uuid, feed_id uuid, endpoint_path text?,
--   price_cents bigint, reference text?, purchased_at timestamptz
select
  purchases.purchase_id,
  purchases.entry_id,
  purchases.account_id,
  purchases.feed_id,
  feeds.endpoint_path,
  purchases.price_cents,
  credit_ledger.reference,
  purchases.purchased_at
from purchases
join feeds
  on feeds.feed_id = purchases.feed_id
left join credit_ledger
  on credit_ledger.entry_id = purchases.entry_id
where (:account_id::uuid is null or purchases.account_id = :account_id)
  and (:feed_id::uuid is null or purchases.feed_id = :feed_id)
  and (:since::timestamptz is null or purchases.purchased_at >= :since)
  and (:until::timestamptz is null or purchases.purchased_at <= :until)
  and (
    :before_purchase_id::uuid is null
    or (purchases.purchased_at, purchases.purchase_id)
      < (:before_purchased_at::timestamptz, :before_purchase_id)
  )
order by purchases.purchased_at desc, purchases.purchase_id desc
limit :limit::int
