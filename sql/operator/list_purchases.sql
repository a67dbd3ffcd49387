-- name: list_purchases
-- why: what accounts have bought and still have, newest first, from behind the page before
-- $1 account_id uuid?
-- $2 before_entry_id bigint?
-- $3 limit int
-- returns entry_id bigint, account_id uuid, feed_id uuid, endpoint_path text?, price_cents bigint,
--   reference text?, purchased_at timestamptz
select
  purchases.entry_id,
  purchases.account_id,
  purchases.feed_id,
  feeds.endpoint_path,
  purchases.price_cents,
  credit_ledger.reference,
  purchases.purchased_at
from purchases
join credit_ledger
  on credit_ledger.entry_id = purchases.entry_id
join feeds
  on feeds.feed_id = purchases.feed_id
where ($1::uuid is null or purchases.account_id = $1)
  and ($2::bigint is null or purchases.entry_id < $2)
order by purchases.entry_id desc
limit $3::int
