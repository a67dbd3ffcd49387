-- name: index_filter_rows
-- why: adds the next rows of a batch (0: of a stream) to its filter index; returns whether there are more
-- :feed_id uuid
-- :batch_number bigint
-- :work_max bigint
-- returns has_more boolean
select index_filter_rows(:feed_id, :batch_number, :work_max) as has_more
