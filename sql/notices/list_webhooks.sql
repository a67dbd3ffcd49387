-- name: list_webhooks
-- why: the webhooks of an account, or of operators, that a key may see, oldest first
-- account_id: null for operators
-- chain_id: only webhooks that a key of this chain has created; null for all
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid?
-- returns webhook_id uuid, account_id uuid?, permission text, chain_id uuid?, url text, types json,
--   feed_ids json?, is_active boolean, switched_off text?, created_at timestamptz, is_key_usable boolean
select
  webhook_id, account_id, permission, chain_id, url, to_json(types) as types, to_json(feed_ids) as feed_ids, is_active, switched_off, created_at,
  has_usable_key(webhooks, clock_timestamp()) as is_key_usable
from webhooks
where account_id is not distinct from :account_id
  and permission = :permission
  and (chain_id = :chain_id or :chain_id is null)
  and (webhook_id = :webhook_id or :webhook_id is null)
order by created_at, webhook_id
