-- name: enter_by_proof
-- why: signs in the person of a proven address
-- :proof_hash bytea
-- :session_hash bytea
-- :lifetime interval
-- returns outcome text, person_id uuid?
select outcome, person_id
from enter_by_proof(:proof_hash, :session_hash, :lifetime)
