-- name: take_access_invitation
-- why: grants an account what its person's address was invited to read; see functions/take_access_invitation.sql
-- :person_id uuid
-- :account_id uuid
-- :invitation_id uuid
-- returns outcome text
select take_access_invitation(
  person => :person_id,
  taking_account => :account_id,
  taken_invitation => :invitation_id
) as outcome
