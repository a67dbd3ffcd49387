-- name: list_audit_events
-- why: the audit trail, newest first, after the previous page; money in credits
-- action_kind: the first word of an action, such as feed, or a whole action, such as feed publish
-- :account_id uuid?
-- :feed_id uuid?
-- :actor text?
-- :action_kind text?
-- :since timestamptz?
-- :until timestamptz?
-- :before_event_id bigint?
-- :limit int
-- returns event_id bigint, happened_at timestamptz, actor text, face text?, action text, account_id uuid?,
--   feed_id uuid?, before json?, after json?
select
  event_id,
  happened_at,
  actor,
  face,
  action,
  account_id,
  feed_id,
  credits_of_nanos(before) as before,
  credits_of_nanos(after) as after
from audit_events
where (:account_id::uuid is null or account_id = :account_id)
  and (:feed_id::uuid is null or feed_id = :feed_id)
  and (:actor::text is null or actor = :actor)
  and (:action_kind::text is null or action = :action_kind or starts_with(action, :action_kind || ' '))
  and (:since::timestamptz is null or happened_at >= :since)
  and (:until::timestamptz is null or happened_at <= :until)
  and (:before_event_id::bigint is null or event_id < :before_event_id)
order by event_id desc
limit :limit::int
