-- name: finish_delivery
-- why: records the outcome of a delivery attempt
-- :moment timestamptz?
-- :delivery_id uuid
-- :attempts int
-- :is_success boolean
-- :code int?
-- :ms int
-- :answer text?
-- :error text?
-- :retry_in interval?
-- :give_up_after interval
-- :slow interval
-- :is_last boolean
-- returns outcome text, is_switched_off boolean
select outcome, is_switched_off
from finish_delivery(
  moment => coalesce(:moment, clock_timestamp()),
  done_id => :delivery_id,
  attempt => :attempts,
  is_success => :is_success,
  answer_code => :code,
  took_ms => :ms,
  answer_text => :answer,
  fault => :error,
  retry_in => :retry_in,
  give_up_after => :give_up_after,
  slow => :slow,
  is_last => :is_last
)
