-- name: give_topup_key
-- why: creates the read key of an account that a payment has created, once
-- :topup_id uuid
-- :key_hash bytea
-- :key_start text
-- :name text
-- :repeated_for interval
-- :actor text?
-- returns outcome text
select outcome
from give_topup_key(
  paid_topup => :topup_id,
  new_hash => :key_hash,
  new_start => :key_start,
  new_name => :name,
  repeated_for => :repeated_for,
  actor => :actor
)
