-- name: find_waiting_notices
-- why: the number of notices and webhooks with work to do, and the age of the oldest, for the metrics
-- returns unspread bigint, waiting bigint, oldest_seconds double?
select
  (select count(*) from notices where spread_at is null) as unspread,
  (select count(*) from webhooks where is_active and next_at <= now()) as waiting,
  extract(epoch from now() - least(
    (select min(happened_at) from notices where spread_at is null),
    (select min(next_at) from webhooks where is_active and next_at <= now())
  ))::float8 as oldest_seconds
