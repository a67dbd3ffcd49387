-- name: remove_person
-- why: removes a person and the person's data
-- :person_id uuid
-- :actor text?
-- returns outcome text, account_id uuid?
select outcome, left_account as account_id
from remove_person(:person_id, :actor)
