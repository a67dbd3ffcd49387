-- name: list_invited_feeds
-- why: one page of the invited feeds that an account can find, newest first, with the total; optionally by category
-- :account_id uuid
-- :category text?
-- :limit int
-- :offset int
-- returns feed_id uuid?, name text?, description text?, category text?, feed_type text?,
--   endpoint_path text?, call_price_nanos bigint?, price_type text?, one_time_price_cents bigint?,
--   reliability_score numeric?, last_sync_at timestamptz?, update_frequency_text text?,
--   sync_interval_mins int?, access text?, schema_definition json?, total bigint
with found as materialized (
  select invited.feed_id, invited.shown_at
  from invited_feeds_of(:account_id) as invited
  join feeds
    on feeds.feed_id = invited.feed_id
  -- The term for a whole category (search_head_of).
  where :category::text is null
    or feeds.search @@ to_lexeme_query('=' || lower(:category))
),
size as (
  select count(*) as total
  from found
),
page as (
  select feed_id, shown_at
  from found
  order by shown_at desc, feed_id
  limit :limit::int
  offset :offset::int
)
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
from size
left join page
  on true
left join feeds
  on feeds.feed_id = page.feed_id
order by page.shown_at desc, page.feed_id
