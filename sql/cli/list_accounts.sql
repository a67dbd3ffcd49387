-- name: list_accounts
-- why: every account with its balance, oldest first
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz
select
  account_id,
  name,
  max_feeds_allowed,
  balance_nanos,
  created_at
from accounts
order by created_at, account_id
