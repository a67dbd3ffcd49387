-- name: touch_keys
-- why: notes that keys were used since the process last said so
-- Keys are locked in one order, so two processes that have seen the same keys never wait for each other.
-- $1 key_ids uuid[]
-- returns key_id uuid
with used as (
  select key_id
  from api_keys
  where key_id = any ($1)
  order by key_id
  for no key update
)
update api_keys
set last_used_at = now()
from used
where api_keys.key_id = used.key_id
returning api_keys.key_id
