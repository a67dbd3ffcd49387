-- name: edit_person
-- why: changes a person's name
-- :person_id uuid
-- :name text
-- returns person_id uuid
update persons
set name = :name
where person_id = :person_id
returning person_id
