-- name: count_push
-- why: counts a push that is refused for what it holds, like any other
-- $1 feed_id uuid
-- $2 account_id uuid
-- $3 key_id uuid
-- $4 definition_version bigint?
-- $5 window_limit int
-- $6 window_us bigint
-- returns outcome text, window_used int?, reset_seconds bigint?, retry_after_ms int?
select admission as outcome, window_used, reset_seconds, retry_after_ms
from admit_push($1, $2, $3, $4, $5, $6)
