-- name: find_purchase
-- why: an account's purchase of a feed, with the account's current balance
-- :account_id uuid
-- :feed_id uuid
-- returns purchase_id uuid, entry_id bigint?, price_cents bigint, purchased_at timestamptz,
--   balance_nanos bigint
select
  purchases.purchase_id,
  purchases.entry_id,
  purchases.price_cents,
  purchases.purchased_at,
  accounts.balance_nanos
from purchases
join accounts
  on accounts.account_id = purchases.account_id
where purchases.account_id = :account_id
  and purchases.feed_id = :feed_id
