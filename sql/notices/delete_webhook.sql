-- name: delete_webhook
-- why: deletes a webhook and its deliveries
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid
-- :actor text
-- returns webhook_id uuid
with acting as materialized (
  select act_as(:actor)
)
delete from webhooks
using acting
where account_id is not distinct from :account_id
  and permission = :permission
  and (chain_id = :chain_id or :chain_id is null)
  and webhook_id = :webhook_id
returning webhook_id
