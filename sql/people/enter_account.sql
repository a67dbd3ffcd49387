-- name: enter_account
-- why: switches a person's session to one of the person's accounts
-- :session_hash bytea
-- :account_id uuid
-- :read_hash bytea
-- :read_start text
-- :sealed_read text
-- :write_hash bytea
-- :write_start text
-- :sealed_write text
-- returns outcome text
select outcome
from enter_account(
  :session_hash, :account_id, :read_hash, :read_start, :sealed_read, :write_hash, :write_start, :sealed_write
)
