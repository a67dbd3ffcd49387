-- name: expire_topup
-- why: ends an unpaid top-up
-- :topup_id uuid
-- :alert text?
-- returns topup_id uuid
update topups
set status = 'expired',
  ended_at = clock_timestamp(),
  alert = with_alert(alert, :alert)
where topup_id = :topup_id
  and status = 'waiting'
returning topup_id
