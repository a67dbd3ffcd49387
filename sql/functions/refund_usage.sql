-- Gives back what a read was charged that failed after its grant: a ledger entry, and the hit taken out
-- of its window. True where there was a usage event not yet refunded.
create or replace function refund_usage(
  refunded_account uuid,
  refunded_usage uuid,
  window_operation text,
  window_feed uuid
)
returns boolean
language plpgsql
as $$
#variable_conflict use_column
declare
  event record;
  balance bigint;
begin
  select accounts.balance_nanos into balance
  from accounts
  where accounts.account_id = refunded_account
  for no key update;

  update usage_events
  set refunded = true
  where usage_events.account_id = refunded_account
    and usage_events.usage_id = refunded_usage
    and not usage_events.refunded
  returning usage_events.charge_nanos, usage_events.happened_at into event;
  if not found then
    return false;
  end if;

  if event.charge_nanos > 0 then
    insert into credit_ledger (
      account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason, reference
    )
    values (
      refunded_account, 'refund', event.charge_nanos, balance, balance + event.charge_nanos,
      'the read failed after it was charged', 'refund:' || refunded_usage
    );
    update accounts
    set balance_nanos = balance_nanos + event.charge_nanos
    where accounts.account_id = refunded_account;
  end if;

  -- Reads of one batch share their microsecond: one hit goes, not all of them. A hit of a clock that was
  -- ahead may have become one of now: then the newest goes.
  update rate_windows
  set hits = hits[:found.place - 1] || hits[found.place + 1:]
  from (
    select coalesce(
      array_position(
        windows.hits, epoch_us(event.happened_at)
      ),
      case when event.happened_at > clock_timestamp() then cardinality(windows.hits) end
    ) as place
    from rate_windows as windows
    where windows.account_id = refunded_account
      and windows.operation = window_operation
      and windows.feed_id = window_feed
  ) as found
  where rate_windows.account_id = refunded_account
    and rate_windows.operation = window_operation
    and rate_windows.feed_id = window_feed
    and found.place is not null;

  return true;
end
$$;
