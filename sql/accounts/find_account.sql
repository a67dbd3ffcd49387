-- name: find_account
-- why: an account with its balance, for its owner and for the operator
-- $1 account_id uuid
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz
select
  account_id,
  name,
  max_feeds_allowed,
  balance_nanos,
  created_at
from accounts
where account_id = $1
