-- name: admit_push
-- why: admits a push that is refused for what it holds: it counts like any other
-- $1 feed_id uuid
-- $2 account_id uuid
-- $3 key_id uuid
-- $4 window_limit int
-- $5 window_us bigint
-- returns outcome text, window_used int?, frees_in_us bigint?, oldest_us bigint?,
--   definition_version bigint
select admission as outcome, window_used, frees_in_us, oldest_us, definition_version
from admit_push($1, $2, $3, $4, $5)
