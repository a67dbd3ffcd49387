-- name: create_account
-- why: a new account, without credits
-- $1 name text
-- $2 max_feeds_allowed int
-- returns account_id uuid
insert into accounts (name, max_feeds_allowed)
values ($1, $2)
returning account_id
