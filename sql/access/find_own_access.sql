-- name: find_own_access
-- why: an account's access to a feed: whether it may read it, its grant, and its newest request
-- may_read: true for a grant, a purchase, the owner, or an open feed
-- retry_at: when a declined account may ask again; null if it may ask now
-- :account_id uuid
-- :feed_id uuid
-- :pause interval
-- returns may_read boolean, is_free boolean?, expires_at timestamptz?, status text?, message text?, reason text?,
--   asked_at timestamptz?, answered_at timestamptz?, retry_at timestamptz?
select
  feeds.access = 'open' or may_find(feeds.feed_id, feeds.account_id, :account_id) as may_read,
  access_grants.is_free,
  access_grants.expires_at,
  newest.status,
  newest.message,
  newest.reason,
  newest.asked_at,
  newest.answered_at,
  case
    when newest.status = 'declined' and newest.answered_at > clock_timestamp() - :pause::interval
      then newest.answered_at + :pause::interval
  end as retry_at
from feeds
left join access_grants
  on access_grants.feed_id = feeds.feed_id
  and access_grants.account_id = :account_id
  and is_current_grant(access_grants.expires_at, clock_timestamp())
left join lateral (
  select status, message, reason, asked_at, answered_at
  from access_requests
  where account_id = :account_id
    and access_requests.feed_id = feeds.feed_id
  order by asked_at desc
  limit 1
) as newest
  on true
where feeds.feed_id = :feed_id
order by feeds.feed_id
