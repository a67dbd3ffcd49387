-- name: find_feed
-- why: the properties of a feed that a read or push is planned by, by id or slug
-- For a reader, what it may find is part of the look-up, so that a draft, an inactive feed, one that is for others, and
-- an unknown one take the same time.
-- reader_id: null finds no invited feed
-- :feed_id uuid?
-- :endpoint_path text?
-- :active_only boolean
-- :reader_id uuid?
-- returns feed_id uuid, account_id uuid, feed_type text?, status text,
--   locked_schema json?, definition_version bigint, price_type text,
--   call_price_nanos bigint?, one_time_price_cents bigint?, data_version bigint, has_data boolean,
--   retention_days int?, suspension_reason text?, access text
select
  feed_id,
  account_id,
  feed_type,
  status,
  case when schema_locked then schema_definition end as locked_schema,
  definition_version,
  price_type,
  call_price_nanos,
  one_time_price_cents,
  data_version,
  next_position > 1 as has_data,
  retention_days,
  suspension_reason,
  access
from feeds
where (feed_id = :feed_id or endpoint_path = :endpoint_path)
  and deleted_at is null
  and (not :active_only or finds_feed(feeds, :reader_id))
