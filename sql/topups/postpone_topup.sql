-- name: postpone_topup
-- why: records when the payment method is asked again, and why it did not answer
-- :topup_id uuid
-- :due_in interval
-- :error text?
-- returns topup_id uuid
update topups
set due_at = clock_timestamp() + :due_in,
  last_error = :error
where topup_id = :topup_id
  and status = 'waiting'
returning topup_id
