-- name: list_access_requests
-- why: requests for access, newest first, after the previous page: for a feed, of an account, or all
-- status: a status, or answered for all that are no longer pending
-- finder_id: omits requests for feeds that this account can no longer find
-- :feed_id uuid?
-- :account_id uuid?
-- :finder_id uuid?
-- :status text?
-- :before_time timestamptz?
-- :before_id uuid?
-- :limit int
-- returns request_id uuid, feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text,
--   message text?, status text, reason text?, asked_at timestamptz, answered_at timestamptz?
select
  requests.request_id,
  requests.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  requests.account_id,
  accounts.name as account_name,
  requests.message,
  requests.status,
  requests.reason,
  requests.asked_at,
  requests.answered_at
from access_requests as requests
join feeds
  on feeds.feed_id = requests.feed_id
join accounts
  on accounts.account_id = requests.account_id
where (:feed_id::uuid is null or requests.feed_id = :feed_id)
  and (:account_id::uuid is null or requests.account_id = :account_id)
  and (:finder_id::uuid is null or finds_feed(feeds, :finder_id))
  and (
    :status::text is null
    or requests.status = :status
    or (:status = 'answered' and requests.status <> 'waiting')
  )
  and (
    :before_id::uuid is null
    or (requests.asked_at, requests.request_id) < (:before_time::timestamptz, :before_id)
  )
order by requests.asked_at desc, requests.request_id desc
limit :limit::int
