-- name: test_webhook
-- why: stores a notice of type webhook.test for one address
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid
-- returns notice_id uuid, delivery_id uuid
with told as (
  select webhook_id, account_id, permission
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
  insert into webhook_deliveries (webhook_id, notice_id, next_at)
  select webhook_id, notice_id, clock_timestamp()
  from noted
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
