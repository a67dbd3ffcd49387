-- name: list_address_invitations
-- why: the feeds that an address is invited to read, while the invitations can be accepted
-- :address_key text
-- :limit int
-- returns invitation_id uuid, feed_name text, provider_name text, is_free boolean, expires_at timestamptz?,
--   ends_at timestamptz, invited_at timestamptz
select
  access_invitations.invitation_id,
  feeds.name as feed_name,
  accounts.name as provider_name,
  access_invitations.is_free,
  access_invitations.expires_at,
  access_invitations.ends_at,
  access_invitations.happened_at as invited_at
from access_invitations
join feeds
  on feeds.feed_id = access_invitations.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where access_invitations.address_key = :address_key
  and access_invitations.ends_at > clock_timestamp()
order by access_invitations.happened_at, access_invitations.invitation_id
limit :limit::int
