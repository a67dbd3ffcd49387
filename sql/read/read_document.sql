-- name: read_document
-- why: the one document of a singleton
-- :feed_id uuid
-- returns data_version bigint, data json
select
  feeds.data_version,
  documents.payload as data
from feeds
join documents
  on documents.feed_id = :feed_id
where feeds.feed_id = :feed_id
