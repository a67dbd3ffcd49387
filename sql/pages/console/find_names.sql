-- name: find_names
-- why: the names of the feeds, accounts, keys, and persons that a page shows by id, and which feeds still exist
-- :ids uuid[]
-- returns id uuid, name text, is_readable boolean, is_deleted boolean
select feed_id as id, name, is_readable, deleted_at is not null as is_deleted
from feeds
where feed_id = any (:ids)
union all
select account_id, name, false, false
from accounts
where account_id = any (:ids)
union all
select key_id, coalesce(name, key_start || '…'), false, false
from api_keys
where key_id = any (:ids)
union all
select person_id, name, false, false
from persons
where person_id = any (:ids)
order by id
