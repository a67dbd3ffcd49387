-- name: check_code
-- why: checks a code that was entered; the right one proves the address; no row if there is nothing to check
-- A proven address stays proven for a while, so that a new person can enter a name. Until the proof is used, the right
-- code proves it again, so that a client that missed the response may repeat the call.
-- :proof_hash bytea
-- :code_hash bytea
-- :tries_max int
-- :proven_lifetime interval
-- returns is_proven boolean, tries_left int
update address_proofs
set tries = tries + 1,
  proven_at = case when code_hash = :code_hash then coalesce(proven_at, clock_timestamp()) end,
  expires_at = case
    when code_hash = :code_hash then clock_timestamp() + :proven_lifetime::interval
    else expires_at
  end
where proof_hash = :proof_hash
  and code_hash is not null
  and used_at is null
  and tries < :tries_max::int
  and expires_at > clock_timestamp()
returning proven_at is not null as is_proven, :tries_max::int - tries as tries_left
