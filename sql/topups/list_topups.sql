-- name: list_topups
-- why: paid and pending top-ups of accounts, newest first, after the previous page
-- :account_id uuid?
-- :way text?
-- :status text?
-- :alerts_only boolean
-- :before_created_at timestamptz?
-- :before_topup_id uuid?
-- :limit int
-- returns topup_id uuid, account_id uuid?, key_id uuid?, way text, status text, amount_nanos bigint,
--   reference text?, payment_id text?, created_at timestamptz, expires_at timestamptz, ended_at timestamptz?,
--   taken_back_nanos bigint, unrecovered_nanos bigint, alert text?, last_error text?
select
  topups.topup_id,
  topups.account_id,
  topups.key_id,
  topups.way,
  topups.status,
  topups.amount_nanos,
  credit_ledger.reference,
  topups.payment_id,
  topups.created_at,
  topups.expires_at,
  topups.ended_at,
  topups.taken_back_nanos,
  topups.unrecovered_nanos,
  topups.alert,
  topups.last_error
from topups
left join credit_ledger
  on credit_ledger.entry_id = topups.entry_id
where (:account_id::uuid is null or topups.account_id = :account_id)
  and (:way::text is null or topups.way = :way)
  and (:status::text is null or topups.status = :status)
  and (not :alerts_only::boolean or topups.alert is not null)
  and (
    :before_topup_id::uuid is null
    or (topups.created_at, topups.topup_id) < (:before_created_at::timestamptz, :before_topup_id)
  )
order by topups.created_at desc, topups.topup_id desc
limit :limit::int
