-- name: list_skill_feeds
-- why: which feeds have an agent skill, newest published first, and whether one must be written anew
-- $1 limit int
-- returns feed_id uuid, definition_version bigint, feed_type text?
select
  feed_id,
  definition_version,
  feed_type
from feeds
where listed_at is not null
order by listed_at desc, feed_id
limit $1::int
