-- name: list_catalog
-- why: one page of the listed feeds, newest first, with the total
-- :limit int
-- :offset int
-- returns feed_id uuid?, name text?, description text?, category text?, feed_type text?,
--   endpoint_path text?, call_price_nanos bigint?, price_type text?, one_time_price_cents bigint?,
--   reliability_score numeric?, last_sync_at timestamptz?, update_frequency_text text?,
--   sync_interval_mins int?, access text?, schema_definition json?, total bigint
with blocks as (
  select
    starts_at,
    starts_with,
    sum(feeds) over (order by starts_at desc, starts_with rows unbounded preceding) - feeds
      as feeds_before
  from catalog_blocks
),
size as (
  select sum(feeds)::bigint as total
  from catalog_blocks
),
-- The last block that begins at or before the offset.
block as (
  select starts_at, starts_with, feeds_before
  from blocks
  where feeds_before <= :offset::int
  order by starts_at, starts_with desc
  limit 1
),
-- The rest of the instant at which the block begins, then everything older: two ordered scans, because time descends
-- and ids ascend. A block has at most 512 feeds (fold_listing), so neither scan exceeds that plus a page. Without the
-- limits, PostgreSQL expects to skip a tenth of all feeds. If many of them were pushed to since the last vacuum, it
-- would then read and sort all.
page as (
  select listed.listed_at, listed.feed_id
  from block
  cross join lateral (
    (
      select listed_at, feed_id
      from feeds
      where listed_at is not null
        and listed_at = block.starts_at
        and feed_id >= block.starts_with
      order by listed_at desc, feed_id
      limit :limit::int + 512
    )
    union all
    (
      select listed_at, feed_id
      from feeds
      where listed_at is not null
        and listed_at < block.starts_at
      order by listed_at desc, feed_id
      limit :limit::int + 512
    )
    order by listed_at desc, feed_id
    limit :limit::int
    offset :offset::int - block.feeds_before
  ) as listed
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
order by page.listed_at desc, page.feed_id
