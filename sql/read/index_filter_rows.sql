-- name: index_filter_rows
-- why: puts the next rows of a batch (0: of a stream) into its filter index; says whether to go on
-- $1 feed_id uuid
-- $2 batch_number bigint
-- $3 work_max bigint
-- returns has_more boolean
select index_filter_rows($1, $2, $3) as has_more
