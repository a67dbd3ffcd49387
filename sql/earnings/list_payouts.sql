-- name: list_payouts
-- why: what a provider, or every one, has been paid, newest first, from behind the page before
-- :account_id uuid?
-- :before_payout_id bigint?
-- :limit int
-- returns payout_id bigint, account_id uuid, amount_nanos bigint, reference text, paid_at timestamptz
select payout_id, account_id, amount_nanos, reference, paid_at
from payouts
where (:account_id::uuid is null or account_id = :account_id)
  and (:before_payout_id::bigint is null or payout_id < :before_payout_id)
order by payout_id desc
limit :limit::int
