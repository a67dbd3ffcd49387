-- name: claim_granted_topups
-- why: claims the granted top-ups that are due to be rechecked, exclusively for this process until the pause ends
-- :age interval
-- :pause interval
-- :limit bigint
-- returns topup_id uuid, account_id uuid?, way text, status text, amount_nanos bigint, payment_id text?,
--   pay_url text?, details json, created_at timestamptz, expires_at timestamptz, ended_at timestamptz?,
--   entry_id bigint?, taken_back_nanos bigint, unrecovered_nanos bigint, alert text?, attempts int,
--   last_error text?, is_over boolean
with due as materialized (
  select topup_id
  from topups
  where status = 'granted'
    and way = 'x402'
    and not is_final
    and due_at <= clock_timestamp()
    and ended_at + :age <= clock_timestamp()
  order by due_at
  limit :limit
  for no key update skip locked
)
update topups
set due_at = clock_timestamp() + :pause
where topup_id in (select topup_id from due)
returning
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
