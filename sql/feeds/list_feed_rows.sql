-- name: list_feed_rows
-- why: the feeds of an account, drafts included, newest first; the operator may list those of all accounts
-- health: late (its last push is older than its interval), failing (its last push was refused), or never_pushed
-- :account_id uuid?
-- :is_unlisted_only boolean
-- :status text?
-- :review text?
-- :health text?
-- :is_full boolean
-- :limit int
-- :offset bigint
-- :after_feed_id uuid?
-- returns feed_id uuid, account_id uuid, account_name text, name text,
--   description text?, readme_md text?, category text?, endpoint_path text?, former_path text?, feed_type text?,
--   schema_definition json?, schema_version numeric, schema_locked boolean, sample_response json?,
--   sync_interval_mins int, update_frequency_text text?, status text, draft_step numeric?,
--   price_type text, call_price_nanos bigint?, one_time_price_cents bigint?, is_public boolean,
--   reliability_score numeric?, last_sync_at timestamptz?, created_at timestamptz,
--   updated_at timestamptz, definition_version bigint, retention_days int?,
--   suspension_reason text?, deleted_at timestamptz?, emptied_at timestamptz?,
--   schema_changed_at timestamptz?, review text, review_reason text?, access text
select
  feeds.feed_id, feeds.account_id, accounts.name as account_name,
  feeds.name, feeds.description,
  case when :is_full then feeds.readme_md end as readme_md, feeds.category, feeds.endpoint_path,
  feeds.former_path,
  feeds.feed_type,
  case when :is_full then feeds.schema_definition end as schema_definition, feeds.schema_version, feeds.schema_locked,
  case when :is_full then feeds.sample_response end as sample_response, feeds.sync_interval_mins, feeds.update_frequency_text, feeds.status,
  feeds.draft_step, feeds.price_type, feeds.call_price_nanos, feeds.one_time_price_cents,
  feeds.is_public, feeds.reliability_score, feeds.last_sync_at, feeds.created_at,
  feeds.updated_at, feeds.definition_version, feeds.retention_days, feeds.suspension_reason,
  feeds.deleted_at, feeds.emptied_at, feeds.schema_changed_at, feeds.review,
  feeds.review_reason, feeds.access
from newest_feeds(
  :account_id, :is_unlisted_only, :status, :review, :health, :after_feed_id, :limit::int, :offset
) as page
join feeds
  on feeds.feed_id = page.feed_id
join accounts
  on accounts.account_id = feeds.account_id
order by feeds.created_at desc, feeds.feed_id desc
