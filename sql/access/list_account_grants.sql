-- name: list_account_grants
-- why: the feeds that an account was granted access to, newest first, after the previous page
-- Omits feeds that can't be read now, and expired grants.
-- :account_id uuid
-- :before_time timestamptz?
-- :before_id uuid?
-- :limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, is_free boolean, expires_at timestamptz?,
--   granted_at timestamptz
select
  access_grants.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  access_grants.is_free,
  access_grants.expires_at,
  access_grants.happened_at as granted_at
from access_grants
join feeds
  on feeds.feed_id = access_grants.feed_id
where access_grants.account_id = :account_id
  and feeds.is_readable
  and is_current_grant(access_grants.expires_at, clock_timestamp())
  and (
    :before_id::uuid is null
    or access_grants.happened_at < :before_time::timestamptz
    or (access_grants.happened_at = :before_time and access_grants.feed_id > :before_id)
  )
order by access_grants.happened_at desc, access_grants.feed_id
limit :limit::int
