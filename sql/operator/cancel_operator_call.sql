-- name: cancel_operator_call
-- why: releases an Idempotency-Key, because its call was refused and has changed nothing
-- :owner_id uuid
-- :idempotency_hash bytea
-- returns admin_key_id uuid
delete from operator_calls
where admin_key_id = :owner_id
  and idempotency_hash = :idempotency_hash
  and status is null
returning admin_key_id
