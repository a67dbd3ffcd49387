-- name: join_by_proof
-- why: creates the person of a proven address, with account and welcome credits, and signs the person in
-- :proof_hash bytea
-- :session_hash bytea
-- :lifetime interval
-- :name text
-- :has_agreed boolean
-- :sign_up text
-- :is_own_domain boolean
-- :feeds_max int
-- :network text
-- :day_max int
-- :network_max int
-- :welcome_nanos bigint
-- :welcome_day_nanos bigint
-- :address_hash bytea
-- returns outcome text, person_id uuid?, account_id uuid?, retry_after_ms bigint?
select outcome, person_id, account_id, retry_after_ms
from join_by_proof(
  :proof_hash, :session_hash, :lifetime, :name, :has_agreed, :sign_up, :is_own_domain, :feeds_max, :network,
  :day_max, :network_max, :welcome_nanos, :welcome_day_nanos, :address_hash
)
