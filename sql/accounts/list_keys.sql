-- name: list_keys
-- why: keys in any state, oldest first, after the previous page
-- Lists an account's keys, operators' own, or those with an id, the hash of a whole key, or the beginning of a key. The
-- beginning is compared with the stored part of a key, so a longer one finds nothing. An operator's key has no account.
-- An account's list leaves out keys that were made for sessions.
-- :account_id uuid?
-- :is_admin_only boolean
-- :key_id uuid?
-- :key_hash bytea?
-- :beginning text?
-- :after_key_id uuid?
-- :limit int
-- returns key_id uuid, key_start text, permission text, account_id uuid?, account_name text?,
--   name text?, created_at timestamptz, expires_at timestamptz?, revoked_at timestamptz?,
--   last_used_at timestamptz?, daily_nanos bigint?, feed_ids text?
with keys as not materialized (
  select
    key_id,
    key_hash,
    key_start,
    permission,
    account_id,
    name,
    created_at,
    expires_at,
    revoked_at,
    last_used_at,
    daily_nanos,
    feed_ids
  from api_keys
  where not :is_admin_only::boolean
    and not (for_session and :account_id::uuid is not null)
  union all
  select
    key_id,
    key_hash,
    key_start,
    permission,
    null,
    name,
    created_at,
    expires_at,
    revoked_at,
    last_used_at,
    null,
    null
  from admin_keys
)
select
  keys.key_id,
  keys.key_start,
  keys.permission,
  keys.account_id,
  accounts.name as account_name,
  keys.name,
  keys.created_at,
  keys.expires_at,
  keys.revoked_at,
  keys.last_used_at,
  keys.daily_nanos,
  array_to_string(keys.feed_ids, ',') as feed_ids
from keys
left join accounts
  on accounts.account_id = keys.account_id
where (:account_id::uuid is null or keys.account_id = :account_id)
  and (:key_id::uuid is null or keys.key_id = :key_id)
  and (:key_hash::bytea is null or keys.key_hash = :key_hash)
  and (:beginning::text is null or starts_with(keys.key_start, :beginning))
  and (
    :after_key_id::uuid is null
    or (keys.created_at, keys.key_id) > (
      select after.created_at, after.key_id from keys as after where after.key_id = :after_key_id
    )
  )
order by keys.created_at, keys.key_id
limit :limit::int
