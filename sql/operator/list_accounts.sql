-- name: list_accounts
-- why: accounts with their balance, oldest first, after the previous page
-- Lists all of them, or those with an id or an exact name. Names may repeat.
-- :account_id uuid?
-- :name text?
-- :after_account_id uuid?
-- :limit int
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz, suspension_reason text?, closed_at timestamptz?
select
  account_id,
  name,
  max_feeds_allowed,
  balance_nanos,
  created_at,
  suspension_reason,
  closed_at
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
