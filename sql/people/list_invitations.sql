-- name: list_invitations
-- why: invitations that may still be accepted: those of an account, or those to an address
-- :account_id uuid?
-- :address_key text?
-- returns invitation_id uuid, account_id uuid, account_name text, address text, role text, created_at timestamptz,
--   expires_at timestamptz
select
  invitations.invitation_id,
  invitations.account_id,
  accounts.name as account_name,
  invitations.address,
  invitations.role,
  invitations.created_at,
  invitations.expires_at
from invitations
join accounts
  on accounts.account_id = invitations.account_id
where invitations.expires_at > clock_timestamp()
  and accounts.closed_at is null
  and (:account_id::uuid is null or invitations.account_id = :account_id)
  and (:address_key::text is null or invitations.address_key = :address_key)
order by invitations.created_at, invitations.invitation_id
