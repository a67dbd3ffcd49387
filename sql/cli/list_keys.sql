-- name: list_keys
-- why: the keys of an account in any state, oldest first
-- $1 account_id uuid
-- returns key_id uuid, key_start text, permission text, account_id uuid, name text?,
--   created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?
select
  key_id,
  key_start,
  permission,
  account_id,
  name,
  created_at,
  expires_at,
  revoked_at,
  last_used_at
from api_keys
where account_id = $1
order by created_at, key_id
