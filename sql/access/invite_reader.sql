-- name: invite_reader
-- why: invites an address to read a feed; see functions/invite_reader.sql
-- :feed_id uuid
-- :address text
-- :address_key text
-- :is_free boolean
-- :expires_at timestamptz?
-- :note text?
-- :lifetime interval
-- :invitations_max int
-- :address_max int
-- :account_max int
-- :mail_subject text?
-- :mail_text text?
-- :mail_html text?
-- :actor text
-- returns outcome text, invitation_id uuid?, address text?, is_free boolean?, expires_at timestamptz?, note text?,
--   ends_at timestamptz?
select
  invited.outcome,
  (invited.invitation).invitation_id,
  (invited.invitation).address,
  (invited.invitation).is_free,
  (invited.invitation).expires_at,
  (invited.invitation).note,
  (invited.invitation).ends_at
from invite_reader(
  inviting_feed => :feed_id,
  given_address => :address,
  given_key => :address_key,
  given_free => :is_free,
  given_end => :expires_at,
  given_note => :note,
  lifetime => :lifetime,
  invitations_max => :invitations_max,
  address_max => :address_max,
  account_max => :account_max,
  mail_subject => :mail_subject,
  mail_text => :mail_text,
  mail_html => :mail_html,
  actor => :actor
) as invited
