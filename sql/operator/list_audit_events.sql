-- name: list_audit_events
-- why: the audit trail, newest first, from behind the page before; money in credits
-- $1 account_id uuid?
-- $2 feed_id uuid?
-- $3 since timestamptz?
-- $4 before_event_id bigint?
-- $5 limit int
-- returns event_id bigint, happened_at timestamptz, actor text, action text, account_id uuid?,
--   feed_id uuid?, before json?, after json?
select
  event_id,
  happened_at,
  actor,
  action,
  account_id,
  feed_id,
  credits_of_nanos(before) as before,
  credits_of_nanos(after) as after
from audit_events
where ($1::uuid is null or account_id = $1)
  and ($2::uuid is null or feed_id = $2)
  and ($3::timestamptz is null or happened_at >= $3)
  and ($4::bigint is null or event_id < $4)
order by event_id desc
limit $5::int
