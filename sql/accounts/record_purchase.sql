-- name: record_purchase
-- why: records that an account has bought a one-time feed
-- :account_id uuid
-- :feed_id uuid
-- :reference text?
-- :actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from record_purchase(:account_id, :feed_id, :reference, :actor)
