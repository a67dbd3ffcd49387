-- name: find_address_proof
-- why: the proof that a browser holds, unless it has been used or has expired
-- is_late: whether the mail server has not accepted the code's mail yet
-- :proof_hash bytea
-- returns address text, name text?, is_proven boolean, is_late boolean
select
  address,
  name,
  proven_at is not null as is_proven,
  exists (
    select
    from mails
    where lower(mails.address) = address_proofs.address_key
      and mails.expires_at = address_proofs.expires_at
      and mails.last_error is not null
  ) as is_late
from address_proofs
where proof_hash = :proof_hash
  and used_at is null
  and expires_at > clock_timestamp()
