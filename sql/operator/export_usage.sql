-- name: export_usage
-- why: a chunk of an account's usage log, oldest first, after the previous chunk
-- Chunks are read by key instead of a cursor, so that no statement runs long or keeps a snapshot open.
-- :account_id uuid
-- :since timestamptz?
-- :until timestamptz?
-- :after_usage_id uuid?
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
  and usage_id >= uuid_since(:since)
  and usage_id < uuid_until(:until)
  and usage_id > coalesce(:after_usage_id::uuid, '00000000-0000-0000-0000-000000000000')
  and happened_at >= coalesce(:since::timestamptz, '-infinity')
  and happened_at <= coalesce(:until::timestamptz, 'infinity')
order by usage_id
limit :limit::int
