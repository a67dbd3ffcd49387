-- name: count_rows_left
-- why: the number of rows that a deleted feed still has in its tables
-- :feed_id uuid
-- returns rows_left bigint
select
  (select count(*) from documents where feed_id = :feed_id)
  + (select count(*) from collection_rows where feed_id = :feed_id)
  + (select count(*) from stream_events where feed_id = :feed_id) as rows_left
