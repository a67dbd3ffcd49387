-- name: prove_ledgers
-- why: proves the ledgers of the next accounts, as the job does, for an operator who asks now
-- mark: what the step before returned; empty for the first
-- :mark text
-- :account_limit int
-- returns mark text, is_more boolean
select mark, is_more
from check_ledgers(:mark, now(), :account_limit)
