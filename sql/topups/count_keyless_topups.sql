-- name: count_keyless_topups
-- why: the number of pending payments of callers without a key, so that they can't fill the table
-- :limit int
-- returns waiting bigint
with waiting as (
  select
  from topups
  where status = 'waiting'
    and account_id is null
  limit :limit::int
)
select count(*) as waiting
from waiting
