-- name: request_access
-- why: requests access to a feed for an account; see functions/request_access.sql
-- :account_id uuid
-- :feed_id uuid
-- :message text?
-- :pause interval
-- returns outcome text, request_id uuid?, feed_id uuid?, endpoint_path text?, feed_name text?, account_id uuid?,
--   account_name text?, message text?, status text?, reason text?, asked_at timestamptz?, answered_at timestamptz?,
--   retry_at timestamptz?
select
  asked.outcome,
  (asked.request).request_id,
  (asked.request).feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  (asked.request).account_id,
  accounts.name as account_name,
  (asked.request).message,
  (asked.request).status,
  (asked.request).reason,
  (asked.request).asked_at,
  (asked.request).answered_at,
  asked.retry_at
from request_access(
  asking_account => :account_id,
  asked_feed => :feed_id,
  given_message => :message,
  pause => :pause
) as asked
left join feeds
  on feeds.feed_id = (asked.request).feed_id
left join accounts
  on accounts.account_id = (asked.request).account_id
