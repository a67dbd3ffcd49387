-- name: withdraw_reader_invitation
-- why: withdraws an address's invitation to read a feed
-- :feed_id uuid
-- :invitation_id uuid
-- returns invitation_id uuid
delete from access_invitations
where feed_id = :feed_id
  and invitation_id = :invitation_id
returning invitation_id
