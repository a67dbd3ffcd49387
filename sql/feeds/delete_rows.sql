-- name: delete_rows
-- why: removes rows of an own feed for good, and says who did for the audit trail
-- $1 account_id uuid
-- $2 feed_id uuid
-- $3 row_ids text[]
-- $4 actor text
-- returns outcome text, deleted json?, data_version bigint?, suspension_reason text?
select outcome, deleted, data_version, suspension_reason
from delete_rows($1, $2, $3, $4)
