-- name: find_shown_feeds
-- why: which of some feeds an account can find, their prices, and which ones must now be hidden from it
-- is_found: whether the account can open the feed's page. is_hidden: whether the feed is invited, and not for this
-- account
-- :account_id uuid
-- :feed_ids uuid[]
-- returns feed_id uuid, access text, price_type text?, call_price_nanos bigint?, one_time_price_cents bigint?,
--   is_found boolean, is_hidden boolean
select
  feed_id,
  access,
  price_type,
  call_price_nanos,
  one_time_price_cents,
  finds_feed(feeds, :account_id) as is_found,
  access = 'invited' and not may_find(feed_id, account_id, :account_id) as is_hidden
from feeds
where feed_id = any (:feed_ids)
order by feed_id
