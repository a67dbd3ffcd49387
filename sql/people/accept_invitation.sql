-- name: accept_invitation
-- why: makes a person a member of the account to which its address was invited
-- :invitation_id uuid
-- :person_id uuid
-- returns outcome text, account_id uuid?
select outcome, joined_account as account_id
from accept_invitation(:invitation_id, :person_id)
