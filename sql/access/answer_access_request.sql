-- name: answer_access_request
-- why: the owner of a feed approves or declines a request for access; see functions/answer_access_request.sql
-- :feed_id uuid
-- :request_id uuid
-- :is_approved boolean
-- :is_free boolean
-- :expires_at timestamptz?
-- :reason text?
-- :actor text
-- returns outcome text
select answer_access_request(
  asked_feed => :feed_id,
  answered_request => :request_id,
  is_approved => :is_approved,
  given_free => :is_free,
  given_end => :expires_at,
  given_reason => :reason,
  actor => :actor
) as outcome
