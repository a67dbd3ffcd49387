-- name: note_topup_payment
-- why: stores where a top-up is paid, once the payment method has started the payment
-- :topup_id uuid
-- :payment_id text
-- :pay_url text?
-- :expires_at timestamptz
-- returns topup_id uuid
update topups
set payment_id = :payment_id,
  pay_url = :pay_url,
  expires_at = :expires_at
where topup_id = :topup_id
  and (payment_id is null or payment_id = :payment_id)
returning topup_id
