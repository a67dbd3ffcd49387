-- Claims the oldest due deliveries of one webhook that no process is calling, exclusively until the lease ends.
--
-- Deliveries that the webhook may no longer receive are withheld, not returned.
--
-- moment: the time as of which deliveries are due; null for now
-- lane: the health of the webhooks to consider; see the table. Among troubled ones, those with the fewest failures come
--   first, so that a webhook that has just recovered need not wait for those that never respond
-- busy_accounts: accounts that this process is already calling often enough. For operators' webhooks, the nil UUID
-- amount: the maximum number of deliveries to claim
create or replace function claim_deliveries(
  moment timestamptz, -- :moment?
  lease interval, -- :lease
  lane text, -- :lane
  busy_accounts uuid[], -- :busy_accounts
  amount int -- :amount
)
returns table (
  delivery_id uuid, -- :delivery_id
  webhook_id uuid, -- :webhook_id
  account_id uuid, -- :account_id
  url text, -- :url
  sealed_secret text, -- :sealed_secret
  previous_sealed_secret text, -- :previous_sealed_secret?
  notice_id uuid, -- :notice_id
  type text, -- :type
  happened_at timestamptz, -- :happened_at
  data json, -- :data
  attempts int -- :attempts
)
language plpgsql
as $$
#variable_conflict use_column
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  told webhooks;
begin
  moment := coalesce(moment, clock_timestamp());
  perform without_wait_for_disk();
  loop
    select webhooks.* into told
    from webhooks
    where webhooks.is_active
      and webhooks.health = lane
      and webhooks.next_at <= moment
      -- A lease that ends much later than one that begins now was written by a clock that was ahead. The margin is for
      -- claims committed since this one began, whose leases end slightly later.
      and (webhooks.leased_until is null or webhooks.leased_until <= moment or webhooks.leased_until > moment + 2 * lease)
      and coalesce(webhooks.account_id, nil) <> all (busy_accounts)
    order by webhooks.failures, webhooks.next_at
    limit 1
    for no key update skip locked;
    if not found then
      return;
    end if;

    return query
    with due as materialized (
      select
        waiting.delivery_id,
        may_be_told(told, notices, moment) as may_be,
        notices.feed_id is not null as is_of_feed
      from webhook_deliveries as waiting
      join notices
        on notices.notice_id = waiting.notice_id
      where waiting.webhook_id = told.webhook_id
        and waiting.status = 'waiting'
        and waiting.next_at <= moment
      order by waiting.next_at, waiting.delivery_id
      limit amount
    ),
    withheld as (
      update webhook_deliveries as deliveries
      set status = 'withheld',
        next_at = null,
        error = case
          when due.is_of_feed
            then 'The account or its key may no longer receive notices about this feed.'
          else 'The key of the webhook was revoked or has expired, or the account is suspended or closed.'
        end
      from due
      where deliveries.delivery_id = due.delivery_id
        and not due.may_be
    ),
    claimed as (
      update webhook_deliveries as deliveries
      set attempts = deliveries.attempts + 1,
        attempted_at = moment
      from due
      where deliveries.delivery_id = due.delivery_id
        and due.may_be
      returning deliveries.delivery_id, deliveries.notice_id, deliveries.attempts, deliveries.next_at
    )
    select
      claimed.delivery_id,
      told.webhook_id,
      coalesce(told.account_id, nil),
      told.url,
      told.sealed_secret,
      case when told.previous_until > moment then told.previous_sealed_secret end,
      notices.notice_id,
      notices.type,
      notices.happened_at,
      notices.data,
      claimed.attempts
    from claimed
    join notices
      on notices.notice_id = claimed.notice_id
    order by claimed.next_at, claimed.delivery_id;
    if found then
      update webhooks
      set leased_until = moment + lease
      where webhooks.webhook_id = told.webhook_id;
      return;
    end if;
    perform set_next_delivery(told.webhook_id);
  end loop;
end
$$;
