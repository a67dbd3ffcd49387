-- name: remove_filter_entries
-- why: clears away the filter indexes of batches that are gone, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 grace interval
-- $4 entries_max int
-- returns is_more boolean
select remove_filter_entries($1, $2, $3, $4) as is_more
