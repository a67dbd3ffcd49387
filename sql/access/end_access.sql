-- name: end_access
-- why: ends an account's grant for a feed
-- :feed_id uuid
-- :account_id uuid
-- :actor text
-- returns account_id uuid
with acting as materialized (
  select act_as(:actor)
),
-- Locked before the grant, as in grant_access: the deletion renews the account's version.
account as materialized (
  select accounts.account_id
  from accounts
  where accounts.account_id = :account_id
  for no key update
)
delete from access_grants
using acting, account
where access_grants.feed_id = :feed_id
  and access_grants.account_id = account.account_id
returning access_grants.account_id
