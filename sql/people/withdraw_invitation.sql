-- name: withdraw_invitation
-- why: takes an invitation back, or declines it
-- :invitation_id uuid
-- :person_id uuid?
-- :actor text?
-- returns outcome text
select outcome
from withdraw_invitation(:invitation_id, :person_id, :actor)
