-- name: withdraw_invitation
-- why: withdraws or declines an invitation
-- :invitation_id uuid
-- :person_id uuid?
-- :actor text?
-- returns outcome text
select outcome
from withdraw_invitation(:invitation_id, :person_id, :actor)
