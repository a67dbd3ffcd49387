-- name: find_proof
-- why: the verification of all ledgers by the last pass of its job, and the time until which totals are complete
-- returns complete_until timestamptz?, accounts bigint?, wrong bigint?, granted_nanos numeric?, revoked_nanos numeric?,
--   charged_nanos numeric?, refunded_nanos numeric?, balance_nanos numeric?, proven_at timestamptz?
select
  (select complete_until from totals_progress where name = 'sales') as complete_until,
  proof.accounts,
  proof.wrong,
  proof.granted_nanos,
  proof.revoked_nanos,
  proof.charged_nanos,
  proof.refunded_nanos,
  proof.balance_nanos,
  proof.proven_at
from (select true as is_only) as one
left join ledger_proof as proof
  using (is_only)
order by proof.is_only
