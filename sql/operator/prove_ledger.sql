-- name: prove_ledger
-- why: verifies that granted - revoked - charged + refunded = balance, and that payments are equal to earnings
-- Both are computed in one snapshot.
-- :account_id uuid
-- returns balance_nanos bigint, granted_nanos bigint, revoked_nanos bigint, charged_nanos bigint,
--   refunded_nanos bigint, paid_nanos bigint, counted_nanos bigint, waiting_nanos bigint
select
  balance_nanos,
  granted_nanos,
  revoked_nanos,
  charged_nanos,
  refunded_nanos,
  paid_nanos,
  counted_nanos,
  waiting_nanos
from prove_account(:account_id)
where balance_nanos is not null
order by balance_nanos
