-- name: list_memberships
-- why: the accounts of a person, by name
-- :person_id uuid
-- returns account_id uuid, account_name text, role text, suspension_reason text?, balance_nanos bigint
select
  accounts.account_id,
  accounts.name as account_name,
  members.role,
  accounts.suspension_reason,
  accounts.balance_nanos
from members
join accounts
  on accounts.account_id = members.account_id
where members.person_id = :person_id
order by accounts.name, accounts.account_id
