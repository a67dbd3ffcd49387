-- name: find_feed_row
-- why: everything that a feed's owner, operator, or reader may see of it, by id or slug
-- For a reader, what it may find is part of the look-up, so that a draft, an inactive feed, one that is for others, and
-- an unknown one take the same time.
-- reader_id: null finds no invited feed
-- :feed_id uuid?
-- :endpoint_path text?
-- :active_only boolean
-- :reader_id uuid?
-- returns feed_id uuid, account_id uuid, account_name text, name text,
--   description text?, readme_md text?, category text?, endpoint_path text?, former_path text?, feed_type text?,
--   schema_definition json?, schema_version numeric, schema_locked boolean, sample_response json?,
--   sync_interval_mins int, update_frequency_text text?, status text, draft_step numeric?,
--   price_type text, call_price_nanos bigint?, one_time_price_cents bigint?, is_public boolean,
--   reliability_score numeric?, last_sync_at timestamptz?, created_at timestamptz,
--   updated_at timestamptz, definition_version bigint, retention_days int?,
--   suspension_reason text?, deleted_at timestamptz?, emptied_at timestamptz?,
--   schema_changed_at timestamptz?, review text, review_reason text?, access text, row_version bigint, row_count bigint,
--   payload_bytes bigint
select
  feeds.feed_id, feeds.account_id, accounts.name as account_name,
  feeds.name, feeds.description, feeds.readme_md, feeds.category, feeds.endpoint_path,
  feeds.former_path,
  feeds.feed_type, feeds.schema_definition, feeds.schema_version, feeds.schema_locked,
  feeds.sample_response, feeds.sync_interval_mins, feeds.update_frequency_text, feeds.status,
  feeds.draft_step, feeds.price_type, feeds.call_price_nanos, feeds.one_time_price_cents,
  feeds.is_public, feeds.reliability_score, feeds.last_sync_at, feeds.created_at,
  feeds.updated_at, feeds.definition_version, feeds.retention_days, feeds.suspension_reason,
  feeds.deleted_at, feeds.emptied_at, feeds.schema_changed_at, feeds.review,
  feeds.review_reason, feeds.access,
  -- The transaction that wrote the row. log_reads compares it with the version of the metadata that is shown.
  feeds.xmin::text::bigint as row_version,
  coalesce(row_totals.row_count, 0) as row_count,
  coalesce(row_totals.payload_bytes, 0) as payload_bytes
from feeds
join accounts
  on accounts.account_id = feeds.account_id
left join row_totals
  on row_totals.feed_id = feeds.feed_id
  and row_totals.batch_number = coalesce(feeds.current_batch, 0)
where (feeds.feed_id = :feed_id or feeds.endpoint_path = :endpoint_path or feeds.former_path = :endpoint_path)
  and (not :active_only or finds_feed(feeds, :reader_id))
-- The feed that has the slug, or else the feed that had it last.
order by feeds.deleted_at desc nulls first
limit 1
