-- name: list_person_proofs
-- why: the recent sign-ins with a person's address, for the export of personal data
-- :address_key text
-- returns network text, happened_at timestamptz, used_at timestamptz?
select network, happened_at, used_at
from address_proofs
where address_key = :address_key
order by happened_at, proof_hash
