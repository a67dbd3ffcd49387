-- name: create_account
-- why: creates an account without credits; with a known id, such as the demo's, unless it exists already
-- :name text
-- :max_feeds_allowed int
-- :account_id uuid?
-- :actor text?
-- returns account_id uuid
insert into accounts (account_id, name, max_feeds_allowed)
select coalesce(:account_id, gen_random_uuid()), :name, :max_feeds_allowed
from act_as(:actor)
on conflict (account_id) do nothing
returning account_id
