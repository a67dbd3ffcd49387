-- name: touch_keys
-- why: notes that keys were used since the process last said so
-- $1 key_ids uuid[]
-- returns key_id uuid
update api_keys
set last_used_at = now()
where key_id = any ($1)
returning key_id
