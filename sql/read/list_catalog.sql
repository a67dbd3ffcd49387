-- name: list_catalog
-- why: one page of the listed feeds, newest first, with the total
-- :limit int
-- :offset int
-- returns feed_id uuid?, name text?, description text?, category text?, feed_type text?,
--   endpoint_path text?, call_price_nanos bigint?, price_type text?, one_time_price_cents bigint?,
--   reliability_score numeric?, last_sync_at timestamptz?, update_frequency_text text?,
--   sync_interval_mins int?, access text?, schema_definition json?, total bigint
select
  feeds.feed_id,
  feeds.name,
  feeds.description,
  feeds.category,
  feeds.feed_type,
  feeds.endpoint_path,
  feeds.call_price_nanos,
  feeds.price_type,
  feeds.one_time_price_cents,
  feeds.reliability_score,
  feeds.last_sync_at,
  feeds.update_frequency_text,
  feeds.sync_interval_mins,
  feeds.access,
  feeds.schema_definition,
  size.total
from (select sum(feeds)::bigint as total from catalog_blocks) as size
left join catalog_page(:limit, :offset) as page
  on true
left join feeds
  on feeds.feed_id = page.feed_id
order by page.listed_at desc, page.feed_id
