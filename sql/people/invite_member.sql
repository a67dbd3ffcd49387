-- name: invite_member
-- why: invites an address to an account and mails the invitation; without a mail if none is given
-- :account_id uuid
-- :person_id uuid?
-- :address text
-- :address_key text
-- :role text
-- :lifetime interval
-- :invitations_max int
-- :address_max int
-- :mail_subject text?
-- :mail_text text?
-- :mail_html text?
-- :actor text?
-- returns outcome text, invitation_id uuid?, created_at timestamptz?, expires_at timestamptz?
select outcome, invited_id as invitation_id, invited_at as created_at, ends_at as expires_at
from invite_member(
  :account_id, :person_id, :address, :address_key, :role, :lifetime, :invitations_max, :address_max, :mail_subject,
  :mail_text, :mail_html, :actor
)
