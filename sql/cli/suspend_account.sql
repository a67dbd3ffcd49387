-- name: suspend_account
-- why: no key of the account may be used while there is a reason; null ends that
-- $1 account_id uuid
-- $2 reason text?
-- returns account_id uuid
update accounts
set suspension_reason = $2
where account_id = $1
returning account_id
