-- name: has_accounts
-- why: whether there is anybody yet who may read; until then a start tells the next steps
-- returns has_accounts boolean
select exists (select from accounts) as has_accounts
