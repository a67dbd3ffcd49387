-- Claims the next due delivery of an address that no process is calling, exclusively until the lease ends.
--
-- A delivery that the address may no longer be told is withheld, and not returned.
--
-- failing: whether the last attempt of the address has failed. Such addresses have turns of their own
-- busy_accounts: accounts that this process calls often enough already. Operators' addresses count as the nil UUID
create or replace function claim_delivery(
  moment timestamptz,
  lease interval,
  failing boolean,
  busy_accounts uuid[],
  out delivery_id uuid,
  out webhook_id uuid,
  out account_id uuid,
  out url text,
  out sealed_secret text,
  out previous_sealed_secret text,
  out notice_id uuid,
  out type text,
  out happened_at timestamptz,
  out data json,
  out attempts int
)
language plpgsql
as $$
#variable_conflict use_column
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  told webhooks;
  due webhook_deliveries;
  notice notices;
begin
  loop
    select webhooks.* into told
    from webhooks
    where webhooks.is_active
      and webhooks.next_at <= moment
      and (webhooks.leased_until is null or webhooks.leased_until <= moment)
      and (webhooks.failures > 0) = failing
      and coalesce(webhooks.account_id, nil) <> all (busy_accounts)
    order by webhooks.next_at
    limit 1
    for no key update skip locked;
    if not found then
      return;
    end if;

    select waiting.* into due
    from webhook_deliveries as waiting
    where waiting.webhook_id = told.webhook_id
      and waiting.status = 'waiting'
      and waiting.next_at <= moment
    order by waiting.next_at
    limit 1;
    if found then
      select notices.* into strict notice
      from notices
      where notices.notice_id = due.notice_id;
      if may_be_told(told, notice, moment) then
        update webhooks
        set leased_until = moment + lease
        where webhooks.webhook_id = told.webhook_id;
        update webhook_deliveries
        set attempts = webhook_deliveries.attempts + 1,
          attempted_at = moment
        where webhook_deliveries.delivery_id = due.delivery_id;
        delivery_id := due.delivery_id;
        webhook_id := told.webhook_id;
        account_id := coalesce(told.account_id, nil);
        url := told.url;
        sealed_secret := told.sealed_secret;
        if told.previous_until > moment then
          previous_sealed_secret := told.previous_sealed_secret;
        end if;
        notice_id := notice.notice_id;
        type := notice.type;
        happened_at := notice.happened_at;
        data := notice.data;
        attempts := due.attempts + 1;
        return;
      end if;
      update webhook_deliveries
      set status = 'withheld', next_at = null, error = 'The address may not be told this any more.'
      where webhook_deliveries.delivery_id = due.delivery_id;
    end if;
    perform set_next_delivery(told.webhook_id);
  end loop;
end
$$;
