-- name: prove_ledger
-- why: whether granted - revoked - charged + refunded = balance, in one snapshot
-- The usage log is the ledger of charges; entries of the kind charges carry the sums of its dropped
-- partitions, as negative amounts. A purchase is paid elsewhere: its amount is 0.
-- $1 account_id uuid
-- returns balance_nanos bigint, granted_nanos bigint, revoked_nanos bigint, charged_nanos bigint,
--   refunded_nanos bigint
with entries as (
  select
    coalesce(sum(amount_nanos) filter (where kind not in ('revocation', 'refund', 'charges')), 0)
      as granted,
    coalesce(-sum(amount_nanos) filter (where kind = 'revocation'), 0) as revoked,
    coalesce(sum(amount_nanos) filter (where kind = 'refund'), 0) as refunded,
    coalesce(-sum(amount_nanos) filter (where kind = 'charges'), 0) as carried_over
  from credit_ledger
  where account_id = $1
),
charges as (
  select coalesce(sum(charge_nanos), 0) as charged
  from usage_events
  where account_id = $1
)
select
  accounts.balance_nanos,
  entries.granted::bigint as granted_nanos,
  entries.revoked::bigint as revoked_nanos,
  (charges.charged + entries.carried_over)::bigint as charged_nanos,
  entries.refunded::bigint as refunded_nanos
from accounts
cross join entries
cross join charges
where accounts.account_id = $1
order by accounts.account_id
