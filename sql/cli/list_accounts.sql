-- name: list_accounts
-- why: accounts with their balance, oldest first, from behind the page before
-- $1 after_account_id uuid?
-- $2 limit int
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
where $1::uuid is null
  or (created_at, account_id) > (
    select created_at, account_id from accounts where account_id = $1
  )
order by created_at, account_id
limit $2::int
