-- name: list_findings
-- why: the findings of background jobs, for the metrics of every gateway
-- The totals of sales are complete until found_at. Top-ups that need attention are counted as of now.
-- Of a server that archives its WAL, the amount is 1 while that fails.
-- since_seconds: how long the oldest of them has needed attention
-- found_at_seconds: of the Unix epoch
-- returns name text, amount bigint, since_seconds double?, found_at_seconds double, detail text
select
  name,
  amount,
  extract(epoch from clock_timestamp() - since)::float8 as since_seconds,
  extract(epoch from found_at)::float8 as found_at_seconds,
  detail
from findings
union all
select
  name,
  0,
  null,
  extract(epoch from complete_until)::float8,
  ''
from totals_progress
union all
select
  'topup alerts',
  count(*),
  extract(epoch from clock_timestamp() - min(created_at))::float8,
  extract(epoch from clock_timestamp())::float8,
  ''
from topups
where alert is not null
union all
select
  'wal archive',
  coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)::int,
  null,
  extract(epoch from clock_timestamp())::float8,
  coalesce(last_failed_wal, '')
from pg_stat_archiver
where current_setting('archive_mode') <> 'off'
order by name
