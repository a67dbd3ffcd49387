-- name: take_access_invitation
-- why: accepts an invitation to read a feed; see functions/take_access_invitation.sql
-- :person_id uuid
-- :account_id uuid
-- :invitation_id uuid
-- returns outcome text
select take_access_invitation(
  person => :person_id,
  taking_account => :account_id,
  taken_invitation => :invitation_id
) as outcome
