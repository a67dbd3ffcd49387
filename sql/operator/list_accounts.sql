-- name: list_accounts
-- why: accounts with their balance, oldest first, from behind the page before: all of them, or those that an
-- operator means by an id or by an exact name; names may repeat
-- $1 account_id uuid?
-- $2 name text?
-- $3 after_account_id uuid?
-- $4 limit int
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
where ($1::uuid is null or account_id = $1)
  and ($2::text is null or name = $2)
  and (
    $3::uuid is null
    or (created_at, account_id) > (
      select created_at, account_id from accounts where account_id = $3
    )
  )
order by created_at, account_id
limit $4::int
