-- name: grant_access
-- why: lets an account read a feed, or changes how it may; see functions/grant_access.sql
-- :feed_id uuid
-- :account_id uuid
-- :is_free boolean
-- :expires_at timestamptz?
-- :note text?
-- :actor text
-- returns outcome text
select grant_access(
  granted_feed => :feed_id,
  reader => :account_id,
  given_free => :is_free,
  given_end => :expires_at,
  given_note => :note,
  actor => :actor
) as outcome
