-- name: find_page_version
-- why: the version of everything that a listed feed's page shows of the feed
-- :endpoint_path text
-- returns data_version bigint, definition_version bigint, push_count bigint
select data_version, definition_version, push_count
from feeds
where endpoint_path = :endpoint_path
  and listed_at is not null
order by feed_id
limit 1
