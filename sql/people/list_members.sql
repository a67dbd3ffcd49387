-- name: list_members
-- why: the members of an account, owners first
-- :account_id uuid
-- returns person_id uuid, name text, address text, role text, since timestamptz
select persons.person_id, persons.name, persons.address, members.role, members.happened_at as since
from members
join persons
  on persons.person_id = members.person_id
where members.account_id = :account_id
order by members.role desc, persons.name, persons.person_id
