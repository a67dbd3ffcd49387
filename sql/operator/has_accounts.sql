-- name: has_accounts
-- why: whether there is an account; until then, a start prints the next steps
-- returns has_accounts boolean
select exists (select from accounts) as has_accounts
