-- name: touch_keys
-- why: records when keys were used since the process's last report
-- A call with a key that is no longer valid does not count as use. Another process may have seen a later use. Keys are
-- locked in one order, so two processes that have seen the same keys never deadlock.
-- :key_ids uuid[]
-- :ages_ms bigint[]
-- returns key_id uuid
with used as (
  select
    api_keys.key_id,
    clock_timestamp() - asked.age_ms * interval '1 millisecond' as used_at
  from unnest(:key_ids::uuid[], :ages_ms::bigint[]) as asked (key_id, age_ms)
  join api_keys
    on api_keys.key_id = asked.key_id
  order by api_keys.key_id
  for no key update of api_keys
)
update api_keys
set last_used_at = greatest(api_keys.last_used_at, used.used_at)
from used
where api_keys.key_id = used.key_id
  and (used.used_at < least(api_keys.revoked_at, api_keys.expires_at)) is not false
returning api_keys.key_id
