-- name: list_access_grants
-- why: grants for an operator, newest first, after the previous page: of a feed, of an account, or all
-- Omits expired grants and deleted feeds.
-- :feed_id uuid?
-- :account_id uuid?
-- :before_time timestamptz?
-- :before_account_id uuid?
-- :before_feed_id uuid?
-- :limit int
-- returns account_id uuid, account_name text, feed_id uuid, endpoint_path text?, feed_name text, is_free boolean,
--   expires_at timestamptz?, granted_at timestamptz
select
  access_grants.account_id,
  accounts.name as account_name,
  access_grants.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  access_grants.is_free,
  access_grants.expires_at,
  access_grants.happened_at as granted_at
from access_grants
join accounts
  on accounts.account_id = access_grants.account_id
join feeds
  on feeds.feed_id = access_grants.feed_id
where (:feed_id::uuid is null or access_grants.feed_id = :feed_id)
  and (:account_id::uuid is null or access_grants.account_id = :account_id)
  and feeds.deleted_at is null
  and is_current_grant(access_grants.expires_at, clock_timestamp())
  and (
    :before_account_id::uuid is null
    or (access_grants.happened_at, access_grants.account_id, access_grants.feed_id)
      < (:before_time::timestamptz, :before_account_id, :before_feed_id::uuid)
  )
order by access_grants.happened_at desc, access_grants.account_id desc, access_grants.feed_id desc
limit :limit::int
