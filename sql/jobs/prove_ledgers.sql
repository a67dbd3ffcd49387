-- name: prove_ledgers
-- why: verifies the ledgers of the next accounts, like the job, at an operator's request
-- mark: the result of the previous step; empty for the first
-- :mark text
-- :account_limit int
-- returns mark text, is_more boolean
select mark, is_more
from check_ledgers(:mark, now(), :account_limit)
