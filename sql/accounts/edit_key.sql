-- name: edit_key
-- why: changes a key's name, end, budget or scope
-- $1 key_id uuid
-- $2 fields json
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
from edit_key($1, $2)
