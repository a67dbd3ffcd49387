-- name: list_schemas
-- why: the schemas of listed feeds by id, for the names of their fields
-- :feed_ids uuid[]
-- returns feed_id uuid, schema_definition json?
select feed_id, schema_definition
from feeds
where feed_id = any (:feed_ids)
  and listed_at is not null
