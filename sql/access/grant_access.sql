-- name: grant_access
-- why: grants an account access to a feed, or changes its grant; see functions/grant_access.sql
-- :feed_id uuid
-- :account_id uuid
-- :is_free boolean
-- :expires_at timestamptz?
-- :note text?
-- :actor text
-- returns outcome text, account_id uuid?, account_name text?, is_free boolean?, expires_at timestamptz?, note text?,
--   granted_at timestamptz?
select
  granted.outcome,
  (granted.access).account_id,
  accounts.name as account_name,
  (granted.access).is_free,
  (granted.access).expires_at,
  (granted.access).note,
  (granted.access).happened_at as granted_at
from grant_access(
  granted_feed => :feed_id,
  reader => :account_id,
  given_free => :is_free,
  given_end => :expires_at,
  given_note => :note,
  actor => :actor
) as granted
left join accounts
  on accounts.account_id = (granted.access).account_id
