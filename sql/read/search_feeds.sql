-- name: search_feeds
-- why: one page of a search's listed feeds, best first, with the total
-- :q text
-- :category text?
-- :limit int
-- :offset int
-- returns feed_id uuid?, name text?, description text?, category text?, feed_type text?,
--   endpoint_path text?, call_price_nanos bigint?, price_type text?, one_time_price_cents bigint?,
--   reliability_score numeric?, last_sync_at timestamptz?, update_frequency_text text?,
--   sync_interval_mins int?, access text?, total bigint
with matches as materialized (
  select feed_id, place, total
  from search_matches(:q, :category, :limit::int, :offset::int)
),
size as (
  select coalesce(max(total), 0) as total
  from matches
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
  size.total
from size
-- The first match of all comes with every page, for the total.
left join matches
  on matches.place > :offset::int
left join feeds
  on feeds.feed_id = matches.feed_id
order by matches.place
