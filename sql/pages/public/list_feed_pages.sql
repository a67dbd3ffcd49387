-- name: list_feed_pages
-- why: the pages of listed feeds, newest first, for search engines
-- :limit int
-- returns endpoint_path text, last_sync_at timestamptz?
select endpoint_path, last_sync_at
from feeds
where listed_at is not null
order by listed_at desc, feed_id
limit :limit::int
