-- name: score_feeds
-- why: keeps reliability_score up to date, a bounded piece at a time
-- $1 moment timestamptz
-- $2 pause interval
-- $3 history interval
-- $4 feed_limit int
-- returns is_more boolean
select score_feeds($1, $2, $3, $4) as is_more
