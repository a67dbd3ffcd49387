-- name: find_low_balance
-- why: below which balance an account is told, if it has set that
-- :account_id uuid
-- returns threshold_nanos bigint?
select threshold_nanos
from low_balances
where account_id = :account_id
