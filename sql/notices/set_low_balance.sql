-- name: set_low_balance
-- why: sets the account's threshold for balance.low; 0 for never, null for the default
-- :account_id uuid
-- :threshold_nanos bigint?
-- returns account_id uuid
insert into low_balances (account_id, threshold_nanos)
values (:account_id, :threshold_nanos)
on conflict (account_id) do update
set threshold_nanos = excluded.threshold_nanos
returning account_id
