-- name: find_topup_of_payment
-- why: the top-up of a payment, by the payment method's own id of it
-- :way text
-- :payment_id text
-- returns topup_id uuid
select topup_id
from topups
where way = :way
  and payment_id = :payment_id
