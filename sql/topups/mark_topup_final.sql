-- name: mark_topup_final
-- why: notes that the chain need not be asked again about a payment
-- :topup_id uuid
-- returns topup_id uuid
update topups
set is_final = true
where topup_id = :topup_id
returning topup_id
