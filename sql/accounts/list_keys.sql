-- name: list_keys
-- why: the keys of an account in any state, oldest first, from behind the page before
-- $1 account_id uuid
-- $2 after_key_id uuid?
-- $3 limit int
-- returns key_id uuid, key_start text, permission text, account_id uuid, name text?,
--   created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?, daily_nanos bigint?, feed_ids text?
select
  key_id,
  key_start,
  permission,
  account_id,
  name,
  created_at,
  expires_at,
  revoked_at,
  last_used_at,
  daily_nanos,
  array_to_string(feed_ids, ',') as feed_ids
from api_keys
where account_id = $1
  and (
    $2::uuid is null
    or (created_at, key_id) > (select created_at, key_id from api_keys where key_id = $2)
  )
order by created_at, key_id
limit $3::int
