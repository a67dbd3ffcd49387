-- name: redeem_promotion
-- why: gives an account the credits of a promotion code, once
-- $1 code text
-- $2 account_id uuid
-- $3 actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from redeem_promotion($1, $2, $3)
