-- name: grant_topup
-- why: grants the credits of a payment that has arrived, once
-- :topup_id uuid
-- :reference text
-- :paid_nanos bigint
-- :payment_id text?
-- :details json?
-- :actor text?
-- returns outcome text
select outcome
from grant_topup(
  paid_topup => :topup_id,
  paid_reference => :reference,
  paid_nanos => :paid_nanos,
  new_payment => :payment_id,
  new_details => :details,
  actor => :actor
)
