-- name: enter_account
-- why: lets a session of a person act in one of its accounts
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
