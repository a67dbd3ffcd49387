-- name: page_usage
-- why: a page of an account's usage log, newest first
-- A usage id is a UUIDv7 by the database's clock, so its order is that of time. The bounds are therefore ranges of the
-- primary key, and partitions outside them are not read.
-- is_discovery_hidden: leaves out calls of catalog, search and metadata that cost nothing
-- :account_id uuid
-- :feed_id uuid?
-- :key_id uuid?
-- :chain_id uuid?
-- :is_discovery_hidden boolean
-- :since timestamptz?
-- :until timestamptz?
-- :before_usage_id uuid?
-- :from_usage_id uuid?
-- :limit int
-- returns usage_id uuid, timestamp text, operation text, feed_id uuid?, key_id uuid?, charge_nanos bigint
select
  usage_id,
  to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp,
  operation,
  feed_id,
  key_id,
  case when refunded then 0 else charge_nanos end as charge_nanos
from usage_events
where account_id = :account_id
  and (:feed_id::uuid is null or feed_id = :feed_id)
  and (:key_id::uuid is null or key_id = :key_id)
  and (
    :chain_id::uuid is null
    or key_id in (
      select keys.key_id
      from api_keys as keys
      where keys.account_id = :account_id
        and keys.chain_id = :chain_id
    )
  )
  and (
    not :is_discovery_hidden::boolean
    or operation not in ('catalog', 'search', 'metadata')
    or charge_nanos > 0
  )
  and usage_id >= uuid_since(:since)
  and usage_id < uuid_until(:until)
  and usage_id < coalesce(:before_usage_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and usage_id >= coalesce(:from_usage_id::uuid, '00000000-0000-0000-0000-000000000000')
  and happened_at >= coalesce(:since::timestamptz, '-infinity')
  and happened_at <= coalesce(:until::timestamptz, 'infinity')
order by usage_id desc
limit :limit::int
