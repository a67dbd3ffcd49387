-- name: list_keys
-- why: keys in any state, oldest first, from behind the page before: an account's, or what an operator means by an
-- id, a whole key's hash or the beginning of a key
-- The beginning is compared with what is stored of a key: a longer one finds nothing.
-- :account_id uuid?
-- :key_id uuid?
-- :key_hash bytea?
-- :beginning text?
-- :after_key_id uuid?
-- :limit int
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
where (:account_id::uuid is null or api_keys.account_id = :account_id)
  and (:key_id::uuid is null or api_keys.key_id = :key_id)
  and (:key_hash::bytea is null or api_keys.key_hash = :key_hash)
  and (:beginning::text is null or starts_with(api_keys.key_start, :beginning))
  and (
    :after_key_id::uuid is null
    or (api_keys.created_at, api_keys.key_id) > (
      select created_at, key_id from api_keys where key_id = :after_key_id
    )
  )
order by api_keys.created_at, api_keys.key_id
limit :limit::int
