-- name: list_accounts
-- why: accounts with their balance, oldest first, from behind the page before: all of them, or those that an
-- operator means by an id or by an exact name; names may repeat
-- :account_id uuid?
-- :name text?
-- :after_account_id uuid?
-- :limit int
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz, suspension_reason text?
select
  account_id,
  name,
  max_feeds_allowed,
  balance_nanos,
  created_at,
  suspension_reason
from accounts
where (:account_id::uuid is null or account_id = :account_id)
  and (:name::text is null or name = :name)
  and (
    :after_account_id::uuid is null
    or (created_at, account_id) > (
      select created_at, account_id from accounts where account_id = :after_account_id
    )
  )
order by created_at, account_id
limit :limit::int
