-- name: find_topup_of_payment
-- why: the top-up that a payment is for, by what the way calls the payment
-- :way text
-- :payment_id text
-- returns topup_id uuid
select topup_id
from topups
where way = :way
  and payment_id = :payment_id
