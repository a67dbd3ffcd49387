-- name: alert_topup
-- why: alerts the operator to a top-up that needs attention
-- :topup_id uuid
-- :alert text
-- returns topup_id uuid
update topups
set alert = with_alert(alert, :alert)
where topup_id = :topup_id
returning topup_id
