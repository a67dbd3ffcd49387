-- name: find_usage_walk_end
-- why: how far one page may search an account's usage log for the calls of one feed
-- A long log may contain few of them. There is no index for them, because every read would pay for it. No row if the
-- log ends before that.
-- :account_id uuid
-- :since timestamptz?
-- :until timestamptz?
-- :before_usage_id uuid?
-- :events int
-- returns usage_id uuid
select usage_id
from usage_events
where account_id = :account_id
  and usage_id >= uuid_since(:since)
  and usage_id < uuid_until(:until)
  and usage_id < coalesce(:before_usage_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
order by usage_id desc
offset :events::int - 1
limit 1
