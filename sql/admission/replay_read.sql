-- name: replay_read
-- why: notes that a client is answered with the event that is remembered under its Idempotency-Key
-- No row comes back if the event was refunded since.
-- $1 account_id uuid
-- $2 idempotency_key text
-- $3 usage_id uuid
-- returns usage_id uuid
update idempotency_keys
set is_replayed = true
where account_id = $1
  and idempotency_key = $2
  and usage_id = $3
returning usage_id
