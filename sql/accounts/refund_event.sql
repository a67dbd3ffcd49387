-- name: refund_event
-- why: refunds the charge of an answered read, once
-- :usage_id uuid
-- :reason text
-- :actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from refund_event(:usage_id, :reason, :actor)
