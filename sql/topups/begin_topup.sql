-- name: begin_topup
-- why: stores an account's order of a top-up, before a payment is requested
-- :account_id uuid?
-- :key_id uuid?
-- :way text
-- :amount_nanos bigint
-- :payment_id text?
-- :details json
-- :idempotency_hash bytea?
-- :idempotency_age interval
-- :lifetime interval
-- :first_asked interval
-- :waiting_max int
-- :agent_waiting_max int
-- :account_day_nanos bigint?
-- :day_nanos bigint?
-- :network text?
-- :waiting_account_nanos bigint?
-- :waiting_network_nanos bigint?
-- :waiting_keyless_nanos bigint?
-- :waiting_all_nanos bigint?
-- returns outcome text, topup_id uuid?
select outcome, begun_id as topup_id
from begin_topup(
  asking_account => :account_id,
  asking_key => :key_id,
  chosen_way => :way,
  asked_nanos => :amount_nanos,
  known_payment => :payment_id,
  known_details => :details,
  given_hash => :idempotency_hash,
  hash_age => :idempotency_age,
  lifetime => :lifetime,
  first_asked => :first_asked,
  waiting_max => :waiting_max,
  agent_waiting_max => :agent_waiting_max,
  account_day_nanos => :account_day_nanos,
  day_nanos => :day_nanos,
  asking_network => :network,
  waiting_account_nanos => :waiting_account_nanos,
  waiting_network_nanos => :waiting_network_nanos,
  waiting_keyless_nanos => :waiting_keyless_nanos,
  waiting_all_nanos => :waiting_all_nanos
)
