-- name: create_account
-- why: a new account, without credits; with a known id, such as the demo's, unless it is there already
-- $1 name text
-- $2 max_feeds_allowed int
-- $3 account_id uuid?
-- $4 actor text?
-- returns account_id uuid
insert into accounts (account_id, name, max_feeds_allowed)
select coalesce($3, gen_random_uuid()), $1, $2
from act_as($4)
on conflict (account_id) do nothing
returning account_id
