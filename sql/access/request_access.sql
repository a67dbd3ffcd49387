-- name: request_access
-- why: an account asks to read a feed; see functions/request_access.sql
-- :account_id uuid
-- :feed_id uuid
-- :message text?
-- :pause interval
-- returns outcome text, request_id uuid?, retry_at timestamptz?
select asked.outcome, (asked.request).request_id as request_id, asked.retry_at
from request_access(
  asking_account => :account_id,
  asked_feed => :feed_id,
  given_message => :message,
  pause => :pause
) as asked
