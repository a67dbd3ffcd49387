-- name: remove_deleted_feeds
-- why: removes the rows of deleted feeds, and sets their slugs free
-- $1 now timestamptz
-- $2 pause interval
-- $3 slug_age interval
-- $4 row_limit int
-- returns is_more boolean
select remove_deleted_feeds($1, $2, $3, $4) as is_more
