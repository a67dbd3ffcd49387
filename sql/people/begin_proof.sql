-- name: begin_proof
-- why: stores a sign-in code for an address and queues its mail, within the limits of address and network
-- :proof_hash bytea
-- :address text
-- :address_key text
-- :code_hash bytea
-- :network text
-- :lifetime interval
-- :address_max int
-- :network_max int
-- :mail_subject text
-- :mail_text text
-- :mail_html text
-- returns outcome text, retry_after_ms bigint?
select outcome, retry_after_ms
from begin_proof(
  :proof_hash, :address, :address_key, :code_hash, :network, :lifetime, :address_max, :network_max,
  :mail_subject, :mail_text, :mail_html
)
