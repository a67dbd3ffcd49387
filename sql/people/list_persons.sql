-- name: list_persons
-- why: persons, oldest first, after the previous page; or one by its id or address
-- Issuers are separated by spaces, which they never contain.
-- :person_id uuid?
-- :address_key text?
-- :after_person_id uuid?
-- :limit int
-- returns person_id uuid, address text, name text, created_at timestamptz, agreed_at timestamptz?,
--   mail_proven_at timestamptz?, issuers text, accounts json
select
  persons.person_id,
  persons.address,
  persons.name,
  persons.created_at,
  persons.agreed_at,
  persons.mail_proven_at,
  array_to_string(
    array(
      select subjects.issuer
      from person_subjects as subjects
      where subjects.person_id = persons.person_id
      order by subjects.issuer
    ),
    ' '
  ) as issuers,
  (
    select coalesce(
      json_agg(
        json_build_object('account_id', accounts.account_id, 'name', accounts.name, 'role', members.role)
        order by accounts.name, accounts.account_id
      ),
      '[]'
    )
    from members
    join accounts
      on accounts.account_id = members.account_id
    where members.person_id = persons.person_id
  ) as accounts
from persons
where (:person_id::uuid is null or persons.person_id = :person_id)
  and (:address_key::text is null or persons.address_key = :address_key)
  and (
    :after_person_id::uuid is null
    or (persons.created_at, persons.person_id) > (
      select after.created_at, after.person_id
      from persons as after
      where after.person_id = :after_person_id
    )
  )
order by persons.created_at, persons.person_id
limit :limit::int
