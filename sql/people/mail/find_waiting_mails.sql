-- name: find_waiting_mails
-- why: the number of mails to be sent, and how long the oldest has been waiting, for the metrics
-- Omits mails that a server has refused permanently.
-- returns waiting bigint, oldest_seconds double?
select
  count(*) as waiting,
  extract(epoch from now() - min(created_at))::float8 as oldest_seconds
from mails
where next_at < expires_at
  and expires_at > now()
