-- name: settle_topup
-- why: takes the alert of a top-up away, because an operator has settled what it was about
-- :topup_id uuid
-- :reason text
-- :actor text?
-- returns topup_id uuid?
select settle_topup(:topup_id, :reason, :actor) as topup_id
