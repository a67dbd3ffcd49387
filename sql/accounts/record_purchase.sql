-- name: record_purchase
-- why: notes that an account has bought a one-time feed
-- $1 account_id uuid
-- $2 feed_id uuid
-- $3 reference text?
-- $4 actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from record_purchase($1, $2, $3, $4)
