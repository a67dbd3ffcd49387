-- name: list_data_versions
-- why: the data versions of feeds that readers wait for; a feed that can't be read is omitted
-- :feed_ids uuid[]
-- returns feed_id uuid, data_version bigint
select feed_id, data_version
from feeds
where feed_id = any (:feed_ids)
  and is_readable
