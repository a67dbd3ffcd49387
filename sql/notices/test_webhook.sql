-- name: test_webhook
-- why: stores a webhook.test notice for one webhook; if that is switched off, the delivery has failed
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid
-- returns notice_id uuid, delivery_id uuid
with told as (
  select webhook_id, account_id, permission, is_active
  from webhooks
  where account_id is not distinct from :account_id
    and permission = :permission
    and (chain_id = :chain_id or :chain_id is null)
    and webhook_id = :webhook_id
  for no key update
),
noted as (
  insert into notices (type, permission, account_id, webhook_id, data, spread_at)
  select
    'webhook.test', permission, account_id, webhook_id, json_build_object('webhook_id', webhook_id),
    clock_timestamp()
  from told
  returning notice_id, webhook_id
),
made as (
  insert into webhook_deliveries (webhook_id, notice_id, status, next_at, error)
  select
    noted.webhook_id,
    noted.notice_id,
    case when told.is_active then 'waiting' else 'failed' end,
    case when told.is_active then clock_timestamp() end,
    case when not told.is_active then 'The webhook is switched off.' end
  from noted
  cross join told
  returning delivery_id, notice_id, webhook_id
),
woken as (
  update webhooks
  set next_at = least(coalesce(webhooks.next_at, clock_timestamp()), clock_timestamp())
  from made
  where webhooks.webhook_id = made.webhook_id
)
select notice_id, delivery_id
from made
