-- name: rotate_webhook
-- why: gives a webhook a new secret; until a given time, notices are also signed with the previous one
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid
-- :sealed_secret text
-- :moment timestamptz?
-- :overlap interval
-- :actor text
-- returns webhook_id uuid, previous_until timestamptz?
with acting as materialized (
  select act_as(:actor)
)
update webhooks
set previous_sealed_secret = sealed_secret,
  previous_until = coalesce(:moment, clock_timestamp()) + :overlap,
  sealed_secret = :sealed_secret
from acting
where account_id is not distinct from :account_id
  and permission = :permission
  and (chain_id = :chain_id or :chain_id is null)
  and webhook_id = :webhook_id
returning webhook_id, previous_until
