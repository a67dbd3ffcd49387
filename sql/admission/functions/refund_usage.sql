-- Refunds the charge of a usage event by a ledger entry, once, and marks the event as refunded. The caller must hold
-- the account's lock and have checked that the event is not refunded.
--
-- refund_reason: recorded in the ledger
-- has_failed: whether the read was answered with an error. Such a read counts in no window either. An answered read
--   keeps its place in its window, because a refund is no permission to read more
--
-- Outcomes: those of append_ledger_entry; appended also if nothing was charged, without an entry
create or replace function refund_usage(
  event usage_events,
  refund_reason text,
  has_failed boolean,
  out outcome text,
  out entry credit_ledger
)
language plpgsql
as $$
declare
  appended record;
begin
  outcome := 'appended';
  if event.charge_nanos > 0 then
    select * into appended
    from append_ledger_entry(
      event.account_id,
      'refund',
      event.charge_nanos,
      refund_reason,
      'refund:' || event.usage_id,
      event.feed_id
    );
    outcome := appended.outcome;
    entry := appended.entry;
  end if;
  update usage_events
  set refunded = true,
    failed = has_failed
  where usage_events.account_id = event.account_id
    and usage_events.usage_id = event.usage_id
    and outcome = 'appended';
  -- A failed read has spent nothing of its key's budget.
  update key_spending
  set spent_nanos = key_spending.spent_nanos - event.charge_nanos
  where has_failed
    and outcome = 'appended'
    and key_spending.account_id = event.account_id
    and key_spending.key_id = (
      select api_keys.chain_id from api_keys where api_keys.key_id = event.key_id
    )
    and key_spending.day = utc_day(epoch_us(event.happened_at));
end
$$;
