-- name: settle_topup
-- why: removes the alert of a top-up, because an operator has settled it
-- :topup_id uuid
-- :reason text
-- :actor text?
-- returns topup_id uuid?
select settle_topup(:topup_id, :reason, :actor) as topup_id
