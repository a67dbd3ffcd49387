-- name: list_schemas
-- why: the schemas of feeds on a page of the catalog or of search by id, for the names of their fields
-- :feed_ids uuid[]
-- :reader_id uuid
-- returns feed_id uuid, schema_definition json?
select feed_id, schema_definition
from feeds
where feed_id = any (:feed_ids)
  and (
    listed_at is not null
    or (
      access = 'invited'
      and is_public
      and finds_feed(feeds, :reader_id)
    )
  )
