-- name: find_usage_walk_end
-- why: how far one page may look through an account's usage log for the calls of one feed
-- A long log may have few of them. No index finds them, because every read would pay for that index. No row
-- if the log ends before.
-- $1 account_id uuid
-- $2 since timestamptz?
-- $3 until timestamptz?
-- $4 before_usage_id uuid?
-- $5 events int
-- returns usage_id uuid
select usage_id
from usage_events
where account_id = $1
  and usage_id >= uuid_since($2)
  and usage_id < uuid_until($3)
  and usage_id < coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
order by usage_id desc
offset $5::int - 1
limit 1
