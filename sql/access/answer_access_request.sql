-- name: answer_access_request
-- why: approves or declines a request for access to a feed; see functions/answer_access_request.sql
-- :feed_id uuid
-- :request_id uuid
-- :is_approved boolean
-- :is_free boolean
-- :expires_at timestamptz?
-- :reason text?
-- :actor text
-- returns outcome text, request_id uuid?, feed_id uuid?, endpoint_path text?, feed_name text?, account_id uuid?,
--   account_name text?, message text?, status text?, reason text?, asked_at timestamptz?, answered_at timestamptz?
select
  answered.outcome,
  (answered.request).request_id,
  (answered.request).feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  (answered.request).account_id,
  accounts.name as account_name,
  (answered.request).message,
  (answered.request).status,
  (answered.request).reason,
  (answered.request).asked_at,
  (answered.request).answered_at
from answer_access_request(
  asked_feed => :feed_id,
  answered_request => :request_id,
  is_approved => :is_approved,
  given_free => :is_free,
  given_end => :expires_at,
  given_reason => :reason,
  actor => :actor
) as answered
left join feeds
  on feeds.feed_id = (answered.request).feed_id
left join accounts
  on accounts.account_id = (answered.request).account_id
