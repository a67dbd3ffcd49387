-- Marks a usage event as refunded, which counts in no window any more, and gives its charge back by a ledger
-- entry. The caller holds the account's lock and has seen that the event is not refunded.
create or replace function refund_usage(
  refunded_account uuid,
  refunded_usage uuid,
  charge_nanos bigint
)
returns void
language plpgsql
as $$
#variable_conflict use_column
begin
  update usage_events
  set refunded = true
  where usage_events.account_id = refunded_account
    and usage_events.usage_id = refunded_usage;
  if charge_nanos = 0 then
    return;
  end if;
  insert into credit_ledger (
    account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason, reference
  )
  select
    accounts.account_id, 'refund', refund_usage.charge_nanos, accounts.balance_nanos,
    accounts.balance_nanos + refund_usage.charge_nanos, 'the read failed after it was charged',
    'refund:' || refunded_usage
  from accounts
  where accounts.account_id = refunded_account;
  update accounts
  set balance_nanos = accounts.balance_nanos + refund_usage.charge_nanos
  where accounts.account_id = refunded_account;
end
$$;
