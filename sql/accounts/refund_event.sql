-- name: refund_event
-- why: gives back the charge of a read that was answered, once
-- $1 usage_id uuid
-- $2 reason text
-- $3 actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from refund_event($1, $2, $3)
