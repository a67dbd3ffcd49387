-- name: read_feed_version
-- why: the data version that a feed's distributed rows have at least, when they are read next
-- :feed_id uuid
-- returns data_version bigint
select data_version
from feed_versions
where feed_id = :feed_id
