-- name: mark_topup_final
-- why: records that a payment need not be rechecked on the chain
-- :topup_id uuid
-- returns topup_id uuid
update topups
set is_final = true
where topup_id = :topup_id
returning topup_id
