-- name: close_account
-- why: closes an account, unless earnings are owed to it
-- :account_id uuid
-- :person_id uuid?
-- :actor text?
-- returns outcome text, owed_nanos bigint?
select outcome, owed_nanos
from close_account(:account_id, :person_id, :actor)
