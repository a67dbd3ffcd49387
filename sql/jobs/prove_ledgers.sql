-- name: prove_ledgers
-- why: verifies the whole ledgers of the next accounts, at an operator's request
-- mark: the result of the previous step; empty for the first
-- :mark text
-- :account_limit int
-- returns mark text, is_more boolean
select mark, is_more
from check_ledgers(:mark, now(), :account_limit, is_whole => true)
