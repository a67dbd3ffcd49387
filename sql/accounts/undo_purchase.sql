-- name: undo_purchase
-- why: undoes an account's purchase of a one-time feed
-- :account_id uuid
-- :feed_id uuid
-- :reason text
-- :actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from undo_purchase(:account_id, :feed_id, :reason, :actor)
