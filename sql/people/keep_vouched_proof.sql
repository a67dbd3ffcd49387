-- name: keep_vouched_proof
-- why: stores that an OpenID Connect provider has vouched for an address
-- :proof_hash bytea
-- :address text
-- :address_key text
-- :issuer text
-- :subject text
-- :name text?
-- :network text
-- :lifetime interval
-- returns proof_hash bytea
insert into address_proofs (
  proof_hash, address, address_key, issuer, subject, name, network, expires_at, proven_at
)
values (
  :proof_hash,
  :address,
  :address_key,
  :issuer,
  :subject,
  :name,
  :network,
  clock_timestamp() + :lifetime::interval,
  clock_timestamp()
)
returning proof_hash
