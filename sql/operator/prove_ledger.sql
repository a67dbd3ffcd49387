-- name: prove_ledger
-- why: whether granted - revoked - charged + refunded = balance, in one snapshot
-- :account_id uuid
-- returns balance_nanos bigint, granted_nanos bigint, revoked_nanos bigint, charged_nanos bigint,
--   refunded_nanos bigint
select balance_nanos, granted_nanos, revoked_nanos, charged_nanos, refunded_nanos
from ledger_of(:account_id)
where balance_nanos is not null
order by balance_nanos
