-- name: change_member
-- why: changes the role of a member of an account, or removes the member
-- :account_id uuid
-- :person_id uuid
-- :role text?
-- :acting_person uuid?
-- :actor text?
-- returns outcome text
select outcome
from change_member(:account_id, :person_id, :role, :acting_person, :actor)
