-- Refunds the charge of an answered read, once for each usage event. This is an operator's decision.
--
-- A replay under the read's Idempotency-Key then answers with the same event, with a charge of 0.
--
-- Outcomes: refunded; repeated (`entry` is the earlier refund, or the undo of the purchase); usage_unknown; not_charged
-- (the read was free); balance_full as in append_ledger_entry.
create or replace function refund_event(
  wanted_usage uuid,
  refund_reason text,
  actor text,
  out outcome text,
  out entry credit_ledger
)
language plpgsql
as $$
declare
  event usage_events;
  refund record;
begin
  perform act_as(actor);
  select * into entry
  from credit_ledger
  where reference = 'refund:' || wanted_usage;
  if found then
    outcome := 'repeated';
    return;
  end if;

  select * into event
  from usage_events
  where usage_id = wanted_usage;
  perform
  from accounts
  where account_id = event.account_id
  for no key update;
  -- Read again under the lock: it may have been refunded since, or its charge carried over to the ledger.
  select * into event
  from usage_events
  where account_id = event.account_id
    and usage_id = wanted_usage
  for no key update;
  outcome := case
    when not found then 'usage_unknown'
    when event.charge_nanos = 0 then 'not_charged'
  end;
  if outcome is not null then
    return;
  end if;

  select * into refund
  from refund_usage(event, refund_reason, false);
  outcome := case refund.outcome
    when 'appended' then 'refunded'
    -- The purchase was undone since the first look-up. Nothing else uses this reference.
    when 'reference_taken' then 'repeated'
    else refund.outcome
  end;
  entry := refund.entry;
  update idempotency_keys
  set charge_nanos = 0
  where account_id = event.account_id
    and usage_id = wanted_usage
    and outcome = 'refunded';
end
$$;
