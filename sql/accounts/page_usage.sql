-- name: page_usage
-- why: a page of an account's usage log, newest first
-- A usage id is a UUIDv7 of the database's clock: its order is that of time, so the bounds are ranges
-- of the primary key, and partitions outside them are not touched.
-- $1 account_id uuid
-- $2 feed_id uuid?
-- $3 key_id uuid?
-- $4 since timestamptz?
-- $5 until timestamptz?
-- $6 before_usage_id uuid?
-- $7 from_usage_id uuid?
-- $8 limit int
-- returns usage_id uuid, timestamp text, operation text, feed_id uuid?, key_id uuid?, charge_nanos bigint
select
  usage_id,
  to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as timestamp,
  operation,
  feed_id,
  key_id,
  case when refunded then 0 else charge_nanos end as charge_nanos
from usage_events
where account_id = $1
  and ($2::uuid is null or feed_id = $2)
  and ($3::uuid is null or key_id = $3)
  and usage_id >= uuid_since($4)
  and usage_id < uuid_until($5)
  and usage_id < coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and usage_id >= coalesce($7::uuid, '00000000-0000-0000-0000-000000000000')
  and happened_at >= coalesce($4::timestamptz, '-infinity')
  and happened_at <= coalesce($5::timestamptz, 'infinity')
order by usage_id desc
limit $8::int
