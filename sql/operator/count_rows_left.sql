-- name: count_rows_left
-- why: what a deleted feed still has in its tables
-- $1 feed_id uuid
-- returns rows_left bigint
select
  (select count(*) from documents where feed_id = $1)
  + (select count(*) from collection_rows where feed_id = $1)
  + (select count(*) from stream_events where feed_id = $1) as rows_left
