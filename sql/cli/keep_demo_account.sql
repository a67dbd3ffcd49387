-- name: keep_demo_account
-- why: makes the demo's account with its known id, unless an earlier start has
-- $1 account_id uuid
-- $2 name text
-- $3 max_feeds_allowed int
-- returns account_id uuid
insert into accounts (account_id, name, max_feeds_allowed)
values ($1, $2, $3)
on conflict (account_id) do update
set name = accounts.name
returning account_id
