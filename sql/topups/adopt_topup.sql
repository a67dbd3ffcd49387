-- name: adopt_topup
-- why: creates the account of a top-up that was paid without a key, once
-- :topup_id uuid
-- :account_name text
-- :max_feeds_allowed int
-- :actor text?
-- returns account_id uuid?
select owner_id as account_id
from adopt_topup(
  paid_topup => :topup_id,
  account_name => :account_name,
  feeds_max => :max_feeds_allowed,
  actor => :actor
)
