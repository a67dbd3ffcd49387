-- name: find_low_balance
-- why: the account's threshold for balance.low, if it has set one
-- :account_id uuid
-- returns threshold_nanos bigint?
select threshold_nanos
from low_balances
where account_id = :account_id
