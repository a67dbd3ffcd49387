-- name: remove_filter_entries
-- why: clears away the filter indexes of batches that are gone, a bounded piece at a time
-- $1 grace interval
-- $2 entries_max int
-- returns has_more boolean
select remove_filter_entries($1::interval, $2) as has_more
