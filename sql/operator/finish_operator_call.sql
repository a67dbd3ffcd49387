-- name: finish_operator_call
-- why: stores the answer of an operator's call for its repeats
-- :owner_id uuid
-- :idempotency_hash bytea
-- :status int
-- :sealed_body text
-- returns admin_key_id uuid
update operator_calls
set
  status = :status,
  sealed_body = :sealed_body
where admin_key_id = :owner_id
  and idempotency_hash = :idempotency_hash
returning admin_key_id
