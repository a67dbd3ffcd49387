-- name: alert_topup
-- why: tells the operator that somebody has to look at a top-up
-- :topup_id uuid
-- :alert text
-- returns topup_id uuid
update topups
set alert = with_alert(alert, :alert)
where topup_id = :topup_id
returning topup_id
