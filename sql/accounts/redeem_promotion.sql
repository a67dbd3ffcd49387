-- name: redeem_promotion
-- why: grants an account the credits of a promotion code, once
-- :code text
-- :account_id uuid
-- :actor text?
-- returns outcome text, entry_id bigint?
select outcome, (entry).entry_id
from redeem_promotion(:code, :account_id, :actor)
