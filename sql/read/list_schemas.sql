-- name: list_schemas
-- why: the schemas of listed feeds by id, for the names of their fields
-- $1 feed_ids uuid[]
-- returns feed_id uuid, schema_definition json?
select feed_id, schema_definition
from feeds
where feed_id = any ($1)
  and listed_at is not null
