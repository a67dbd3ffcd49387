-- name: find_keys
-- why: the keys that an operator means by an id, a whole key's hash or the beginning of a key, oldest first
-- The beginning is compared with what is stored of a key: a longer one finds nothing.
-- $1 key_id uuid?
-- $2 key_hash bytea?
-- $3 beginning text?
-- $4 limit int
-- returns key_id uuid, key_start text, permission text, account_id uuid, account_name text,
--   name text?, created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?, daily_nanos bigint?, feed_ids text?
select
  api_keys.key_id,
  api_keys.key_start,
  api_keys.permission,
  api_keys.account_id,
  accounts.name as account_name,
  api_keys.name,
  api_keys.created_at,
  api_keys.expires_at,
  api_keys.revoked_at,
  api_keys.last_used_at,
  api_keys.daily_nanos,
  array_to_string(api_keys.feed_ids, ',') as feed_ids
from api_keys
join accounts
  on accounts.account_id = api_keys.account_id
where api_keys.key_id = $1
  or api_keys.key_hash = $2
  or starts_with(api_keys.key_start, $3)
order by api_keys.created_at, api_keys.key_id
limit $4::int
