-- name: begin_operator_call
-- why: takes an Idempotency-Key for an operator's call, or finds the earlier call that has it
-- The call belongs to the first key in the caller's chain of rotations.
-- :admin_key_id uuid
-- :idempotency_hash bytea
-- :request_hash bytea
-- :forgotten_after interval
-- :forgotten_max int
-- returns owner_id uuid, outcome text, status int?, sealed_body text?
select owner_id, outcome, answer_status as status, answer_body as sealed_body
from begin_operator_call(
  caller_id => :admin_key_id,
  new_idempotency_hash => :idempotency_hash,
  new_request_hash => :request_hash,
  forgotten_after => :forgotten_after,
  forgotten_max => :forgotten_max
)
