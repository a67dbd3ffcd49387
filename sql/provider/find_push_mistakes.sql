-- name: find_push_mistakes
-- why: the mistakes in the rows of a feed's newest refused push
-- :feed_id uuid
-- returns detail text, mistakes json, mistake_count int
select detail, mistakes, mistake_count
from push_mistakes
where feed_id = :feed_id
