-- name: find_names
-- why: what people call the feeds, accounts and keys that a page knows by id
-- :ids uuid[]
-- returns id uuid, name text
select feed_id as id, name
from feeds
where feed_id = any (:ids)
union all
select account_id, name
from accounts
where account_id = any (:ids)
union all
select key_id, coalesce(name, key_start || '…')
from api_keys
where key_id = any (:ids)
order by id
