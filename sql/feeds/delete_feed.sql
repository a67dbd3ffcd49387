-- name: delete_feed
-- why: deletes a feed, and says who did for the audit trail where it was a key
-- $1 account_id uuid?
-- $2 feed_id uuid
-- $3 key_id uuid?
-- returns outcome text, suspension_reason text?
with said as materialized (
  -- For this statement's transaction only.
  select
    case when $3::uuid is null then '' else set_config('feedgate.actor', 'key ' || $3, true) end
      as actor
)
select gone.outcome, gone.suspension_reason
from said
cross join lateral delete_feed(case when said.actor is not null then $1::uuid end, $2) as gone
