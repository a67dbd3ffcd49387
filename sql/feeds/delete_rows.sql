-- name: delete_rows
-- why: permanently removes rows of an own feed, and records the actor in the audit trail
-- :account_id uuid
-- :feed_id uuid
-- :row_ids text[]
-- :actor text
-- returns outcome text, deleted json?, data_version bigint?, suspension_reason text?
select outcome, deleted, data_version, suspension_reason
from delete_rows(:account_id, :feed_id, :row_ids, :actor)
