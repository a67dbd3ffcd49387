-- name: find_waiting_mails
-- why: how many mails wait to be sent, and for how long the oldest has waited, for the metrics
-- Mails that a server has refused permanently are left out.
-- returns waiting bigint, oldest_seconds double?
select
  count(*) as waiting,
  extract(epoch from now() - min(created_at))::float8 as oldest_seconds
from mails
where next_at < expires_at
  and expires_at > now()
