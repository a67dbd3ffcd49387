-- An account's ledger and its sales in one snapshot, and whether either of them does not add up.
--
-- known_to, known_nanos: see ledger_of
create or replace function prove_account(
  proven_id uuid,
  known_to uuid default null,
  known_nanos bigint default null
)
returns table (
  balance_nanos bigint,
  granted_nanos bigint,
  revoked_nanos bigint,
  charged_nanos bigint,
  refunded_nanos bigint,
  paid_nanos bigint,
  counted_nanos bigint,
  waiting_nanos bigint,
  log_to uuid,
  log_nanos bigint,
  is_wrong boolean
)
language sql
stable
rows 1
as $$
  select
    ledger.balance_nanos,
    ledger.granted_nanos,
    ledger.revoked_nanos,
    ledger.charged_nanos,
    ledger.refunded_nanos,
    sales.paid_nanos,
    sales.counted_nanos,
    sales.waiting_nanos,
    ledger.log_to,
    ledger.log_nanos,
    ledger.granted_nanos - ledger.revoked_nanos - ledger.charged_nanos + ledger.refunded_nanos
      <> ledger.balance_nanos
      or sales.paid_nanos <> sales.counted_nanos + sales.waiting_nanos
  from ledger_of(proven_id, known_to, known_nanos) as ledger
  cross join lateral sales_of(proven_id, ledger.charged_nanos, ledger.refunded_nanos) as sales
$$;
