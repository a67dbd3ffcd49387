-- name: has_late_feeds
-- why: whether a feed was late at the job's last check, so that a page lists late feeds only if there are any
-- True if the job has not run for a while.
-- :found_within interval
-- returns has_late boolean
select coalesce(max(amount) > 0, true) as has_late
from findings
where name = 'overdue feeds'
  and found_at > now() - :found_within::interval
