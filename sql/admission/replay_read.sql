-- name: replay_read
-- why: records that a client is answered with the event that is remembered under its Idempotency-Key
-- No row if the event was refunded since.
-- :account_id uuid
-- :idempotency_key text
-- :usage_id uuid
-- returns usage_id uuid
update idempotency_keys
set is_replayed = true
where account_id = :account_id
  and idempotency_key = :idempotency_key
  and usage_id = :usage_id
returning usage_id
