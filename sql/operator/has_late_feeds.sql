-- name: has_late_feeds
-- why: whether a feed was late when the job last looked, so that a page asks for those only if there are any
-- It is taken for true if the job has not looked for a while.
-- :found_within interval
-- returns has_late boolean
select coalesce(max(amount) > 0, true) as has_late
from findings
where name = 'overdue feeds'
  and found_at > now() - :found_within::interval
