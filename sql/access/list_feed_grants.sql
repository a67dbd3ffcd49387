-- name: list_feed_grants
-- why: a feed's grants, newest first, after the previous page; or one of them
-- Omits expired grants.
-- :feed_id uuid
-- :account_id uuid?
-- :before_time timestamptz?
-- :before_id uuid?
-- :limit int
-- returns account_id uuid, account_name text, is_free boolean, expires_at timestamptz?, note text?,
--   granted_at timestamptz
select
  access_grants.account_id,
  accounts.name as account_name,
  access_grants.is_free,
  access_grants.expires_at,
  access_grants.note,
  access_grants.happened_at as granted_at
from access_grants
join accounts
  on accounts.account_id = access_grants.account_id
where access_grants.feed_id = :feed_id
  and (:account_id::uuid is null or access_grants.account_id = :account_id)
  and is_current_grant(access_grants.expires_at, clock_timestamp())
  and (
    :before_id::uuid is null
    or access_grants.happened_at < :before_time::timestamptz
    or (access_grants.happened_at = :before_time and access_grants.account_id > :before_id)
  )
order by access_grants.happened_at desc, access_grants.account_id
limit :limit::int
