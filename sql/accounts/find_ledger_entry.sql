-- name: find_ledger_entry
-- why: a ledger entry, as it was written
-- :entry_id bigint
-- returns entry_id bigint, account_id uuid, kind text, amount_nanos bigint, balance_before_nanos bigint,
--   balance_after_nanos bigint, reason text, reference text?, created_at timestamptz
select
  entry_id,
  account_id,
  kind,
  amount_nanos,
  balance_before_nanos,
  balance_after_nanos,
  reason,
  reference,
  created_at
from credit_ledger
where entry_id = :entry_id
