-- name: count_keyless_topups
-- why: how many payments of callers without a key are under way, so that strangers can't fill the table
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
