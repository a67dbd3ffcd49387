-- name: list_keys
-- why: keys in any state, oldest first, from behind the page before: an account's, or what an operator means by an
-- id, a whole key's hash or the beginning of a key
-- The beginning is compared with what is stored of a key: a longer one finds nothing.
-- $1 account_id uuid?
-- $2 key_id uuid?
-- $3 key_hash bytea?
-- $4 beginning text?
-- $5 after_key_id uuid?
-- $6 limit int
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
where ($1::uuid is null or api_keys.account_id = $1)
  and ($2::uuid is null or api_keys.key_id = $2)
  and ($3::bytea is null or api_keys.key_hash = $3)
  and ($4::text is null or starts_with(api_keys.key_start, $4))
  and (
    $5::uuid is null
    or (api_keys.created_at, api_keys.key_id) > (
      select created_at, key_id from api_keys where key_id = $5
    )
  )
order by api_keys.created_at, api_keys.key_id
limit $6::int
