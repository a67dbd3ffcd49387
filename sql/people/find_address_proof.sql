-- name: find_address_proof
-- why: the proof that a browser holds, unless it is used or over
-- :proof_hash bytea
-- returns address text, name text?, is_proven boolean, is_vouched boolean
select address, name, proven_at is not null as is_proven, issuer is not null as is_vouched
from address_proofs
where proof_hash = :proof_hash
  and used_at is null
  and expires_at > clock_timestamp()
