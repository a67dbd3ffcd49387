-- name: delete_rows
-- why: removes rows of an own feed for good, and says who did for the audit trail
-- $1 account_id uuid
-- $2 feed_id uuid
-- $3 row_ids text[]
-- $4 key_id uuid
-- returns outcome text, deleted json?, data_version bigint?, suspension_reason text?
with said as materialized (
  -- For this statement's transaction only.
  select set_config('feedgate.actor', 'key ' || $4::uuid, true) as actor
)
select removed.outcome, removed.deleted, removed.data_version, removed.suspension_reason
from said
cross join lateral delete_rows(case when said.actor is not null then $1::uuid end, $2, $3)
  as removed
