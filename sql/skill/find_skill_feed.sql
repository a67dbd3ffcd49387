-- name: find_skill_feed
-- why: the data from which a feed's agent skill is rendered; an unlisted feed has none
-- :feed_id uuid
-- returns feed_id uuid, account_name text, name text, description text?, endpoint_path text,
--   feed_type text?, schema_definition json?, schema_version numeric, sample_response json?,
--   price_type text, call_price_nanos bigint?, one_time_price_cents bigint?, sync_interval_mins int,
--   update_frequency_text text?, access text
select
  feeds.feed_id,
  accounts.name as account_name,
  feeds.name,
  feeds.description,
  feeds.endpoint_path,
  feeds.feed_type,
  feeds.schema_definition,
  feeds.schema_version,
  feeds.sample_response,
  feeds.price_type,
  feeds.call_price_nanos,
  feeds.one_time_price_cents,
  feeds.sync_interval_mins,
  feeds.update_frequency_text,
  feeds.access
from feeds
join accounts
  on accounts.account_id = feeds.account_id
where feeds.feed_id = :feed_id
  and feeds.listed_at is not null
