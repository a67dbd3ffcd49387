-- name: list_waiting_feeds
-- why: the account's feeds with pending requests for access, oldest request first
-- Omits feeds that have been opened since, because their requests need no answer.
-- :account_id uuid
-- :limit int
-- returns feed_id uuid, name text, requests bigint
select feeds.feed_id, feeds.name, count(*) as requests
from feeds
join access_requests
  on access_requests.feed_id = feeds.feed_id
  and access_requests.status = 'waiting'
where feeds.account_id = :account_id
  and feeds.deleted_at is null
  and feeds.access <> 'open'
group by feeds.feed_id, feeds.name
order by min(access_requests.asked_at), feeds.feed_id
limit :limit::int
