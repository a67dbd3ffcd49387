-- name: resend_delivery
-- why: makes a delivery due again, with the same notice and id; fails it if the webhook is switched off
-- is_operator: whether deliveries of any account may be sent again
-- :is_operator boolean
-- :account_id uuid?
-- :permission text?
-- :chain_id uuid?
-- :delivery_id uuid
-- returns delivery_id uuid, webhook_id uuid
with told as (
  select webhooks.webhook_id, webhooks.is_active
  from webhook_deliveries as deliveries
  join webhooks
    on webhooks.webhook_id = deliveries.webhook_id
  where deliveries.delivery_id = :delivery_id
    and (
      :is_operator
      or (
        webhooks.account_id is not distinct from :account_id
        and webhooks.permission = :permission
        and (webhooks.chain_id = :chain_id or :chain_id is null)
      )
    )
  for no key update of webhooks
),
due as (
  update webhook_deliveries as deliveries
  set status = case when told.is_active then 'waiting' else 'failed' end,
    next_at = case when told.is_active then clock_timestamp() end,
    attempts = case when deliveries.status = 'waiting' then deliveries.attempts else 0 end,
    error = case when not told.is_active then 'The webhook is switched off.' end
  from told
  where deliveries.delivery_id = :delivery_id
  returning deliveries.delivery_id, deliveries.webhook_id
),
woken as (
  update webhooks
  set next_at = least(coalesce(webhooks.next_at, clock_timestamp()), clock_timestamp())
  from due
  where webhooks.webhook_id = due.webhook_id
)
select delivery_id, webhook_id
from due
