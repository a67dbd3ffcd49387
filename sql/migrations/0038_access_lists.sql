-- Operators list grants and requests for access of all feeds and accounts.

-- Lists all grants, newest first.
create index access_grants_time on access_grants (happened_at, account_id, feed_id);

-- Lists all requests for access, newest first.
create index access_requests_time on access_requests (asked_at, request_id);
