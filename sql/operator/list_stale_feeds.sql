-- name: list_stale_feeds
-- why: feeds that are late, oldest data first, after the previous page
-- An active feed is late if its last push is older than its interval, or if it was never pushed and the feed itself is.
-- All pages are as of the same time. A feed that is pushed to between pages is no longer late, and moves no other. An
-- interval that is edited between pages moves none, because the order does not depend on when feeds were due.
-- :since timestamptz?
-- :as_of timestamptz?
-- :after_synced_at timestamptz?
-- :after_feed_id uuid?
-- :limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text, status text,
--   sync_interval_mins int, last_sync_at timestamptz?, due_at timestamptz, synced_at timestamptz, as_of timestamptz
with due as (
  select
    feed_id,
    coalesce(last_sync_at, created_at) as synced_at,
    coalesce(last_sync_at, created_at) + make_interval(mins => sync_interval_mins) as due_at
  from feeds
  where is_readable
    or (first_pushed_at is null and deleted_at is null)
)
select
  feeds.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  feeds.status,
  feeds.sync_interval_mins,
  feeds.last_sync_at,
  due.due_at,
  due.synced_at,
  coalesce(:as_of, now()) as as_of
from due
join feeds
  on feeds.feed_id = due.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where due.due_at < coalesce(:as_of, now())
  and (:since::timestamptz is null or due.synced_at >= :since)
  and (:after_feed_id::uuid is null or (due.synced_at, due.feed_id) > (:after_synced_at::timestamptz, :after_feed_id))
order by due.synced_at, due.feed_id
limit :limit::int
