-- name: find_accounts
-- why: the accounts that an operator means by an id or by an exact name, oldest first; names may repeat
-- $1 account_id uuid?
-- $2 name text?
-- $3 limit int
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
where account_id = $1
  or name = $2
order by created_at, account_id
limit $3::int
