-- Records the outcome of a delivery attempt. After the last delivery of a claim, the webhook is released. Has no effect
-- if the lease ended and another process has claimed the delivery since.
--
-- moment: the time of the attempt's end; null for now
-- is_last: whether this is the last delivery of the claim
-- slow: a response that takes longer makes the webhook a troubled one, so that it delays no others
-- retry_in: the pause before the next attempt; null for none
-- give_up_after: a webhook whose attempts have all failed for this long is switched off; after a 410, it is switched
--   off immediately. Its account is notified
--
-- outcome: delivered, postponed, failed, or lost (another process has claimed the delivery)
-- is_switched_off: whether this outcome switched the webhook off
create or replace function finish_delivery(
  moment timestamptz, -- :moment?
  done_id uuid, -- :delivery_id
  attempt int, -- :attempts
  is_success boolean, -- :is_success
  answer_code int, -- :code?
  took_ms int, -- :ms
  answer_text text, -- :answer?
  fault text, -- :error?
  retry_in interval, -- :retry_in?
  give_up_after interval, -- :give_up_after
  slow interval, -- :slow
  is_last boolean, -- :is_last
  out outcome text, -- :outcome
  out is_switched_off boolean -- :is_switched_off
)
language plpgsql
as $$
#variable_conflict use_column
declare
  told webhooks;
  reason text;
begin
  moment := coalesce(moment, clock_timestamp());
  perform without_wait_for_disk();
  is_switched_off := false;
  select webhooks.* into told
  from webhooks
  where webhooks.webhook_id = (
    select webhook_deliveries.webhook_id
    from webhook_deliveries
    where webhook_deliveries.delivery_id = done_id
  )
  for no key update;
  update webhook_deliveries
  set status = case
      when is_success then 'delivered'
      when retry_in is null or answer_code = 410 then 'failed'
      else 'waiting'
    end,
    next_at = case when not is_success and answer_code is distinct from 410 then moment + retry_in end,
    code = answer_code,
    ms = took_ms,
    answer = answer_text,
    error = fault
  where webhook_deliveries.delivery_id = done_id
    and webhook_deliveries.attempts = attempt
    and webhook_deliveries.status = 'waiting'
  returning case webhook_deliveries.status when 'waiting' then 'postponed' else webhook_deliveries.status end
  into outcome;
  if not found then
    outcome := 'lost';
    return;
  end if;
  reason := case
    when is_success or not told.is_active then null
    when answer_code = 410 then 'gone'
    when told.failing_since <= moment - give_up_after then 'failing'
  end;
  if reason is not null then
    is_switched_off := true;
    update webhook_deliveries
    set status = 'failed', next_at = null, error = coalesce(error, 'The webhook was switched off.')
    where webhook_deliveries.webhook_id = told.webhook_id
      and webhook_deliveries.status = 'waiting';
    insert into notices (type, permission, account_id, data, happened_at)
    values (
      'webhook.disabled', told.permission, told.account_id,
      json_build_object('webhook_id', told.webhook_id, 'url', told.url, 'reason', reason),
      moment
    );
  end if;
  -- A separate statement after the lock, as in set_next_delivery.
  update webhooks
  set leased_until = case when not is_last then webhooks.leased_until end,
    next_at = (
      select min(waiting.next_at)
      from webhook_deliveries as waiting
      where waiting.webhook_id = told.webhook_id
        and waiting.status = 'waiting'
    ),
    health = case when is_success and took_ms * interval '1 millisecond' <= slow then 'sound' else 'troubled' end,
    failures = case when is_success then 0 else webhooks.failures + 1 end,
    failing_since = case when not is_success then coalesce(webhooks.failing_since, moment) end,
    is_active = webhooks.is_active and reason is null,
    switched_off = coalesce(reason, webhooks.switched_off)
  where webhooks.webhook_id = told.webhook_id;
end
$$;
