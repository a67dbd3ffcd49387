-- name: read_document
-- why: the one document of a singleton
-- $1 feed_id uuid
-- returns data_version bigint, data json
select
  feeds.data_version,
  documents.payload as data
from feeds
join documents
  on documents.feed_id = $1
where feeds.feed_id = $1
