-- name: rotate_key
-- why: a new key in place of one that holds, which ends after the grace
-- $1 key_id uuid
-- $2 new_hash bytea
-- $3 new_start text
-- $4 grace interval
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
from rotate_key($1, $2, $3, $4)
