-- name: find_topup
-- why: the current state of a top-up
-- claim_due_topups and claim_granted_topups return the same columns. They update the rows that they return, and a view
-- read in the same statement would show them as they were before, so each statement lists the columns.
-- is_over: whether its time to be paid is over
-- :topup_id uuid
-- returns topup_id uuid, account_id uuid?, way text, status text, amount_nanos bigint, payment_id text?,
--   pay_url text?, details json, created_at timestamptz, expires_at timestamptz, ended_at timestamptz?,
--   entry_id bigint?, taken_back_nanos bigint, unrecovered_nanos bigint, alert text?, attempts int,
--   last_error text?, is_over boolean
select
  topup_id,
  account_id,
  way,
  status,
  amount_nanos,
  payment_id,
  pay_url,
  details,
  created_at,
  expires_at,
  ended_at,
  entry_id,
  taken_back_nanos,
  unrecovered_nanos,
  alert,
  attempts,
  last_error,
  expires_at <= clock_timestamp() as is_over
from topups
where topup_id = :topup_id
