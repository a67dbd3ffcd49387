-- name: end_access
-- why: ends an account's grant for a feed
-- :feed_id uuid
-- :account_id uuid
-- :actor text
-- returns account_id uuid
with acting as materialized (
  select act_as(:actor)
)
delete from access_grants
using acting
where access_grants.feed_id = :feed_id
  and access_grants.account_id = :account_id
returning access_grants.account_id
