-- name: find_topup_of_order
-- why: the top-up that an account has ordered under an Idempotency-Key
-- idempotency_age: how long the key is remembered
-- :account_id uuid
-- :idempotency_hash bytea
-- :idempotency_age interval
-- returns topup_id uuid
select topup_id
from topups
where account_id = :account_id
  and idempotency_hash = :idempotency_hash
  and created_at + :idempotency_age > now()
