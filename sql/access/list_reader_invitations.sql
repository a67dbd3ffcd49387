-- name: list_reader_invitations
-- why: the addresses that are invited to read a feed, while the invitations can be accepted
-- :feed_id uuid
-- returns invitation_id uuid, address text, is_free boolean, expires_at timestamptz?, note text?, ends_at timestamptz
select invitation_id, address, is_free, expires_at, note, ends_at
from access_invitations
where feed_id = :feed_id
  and ends_at > clock_timestamp()
order by happened_at, invitation_id
