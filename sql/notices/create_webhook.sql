-- name: create_webhook
-- why: creates a webhook; false if the maximum number is reached
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :url text
-- :types text[]
-- :feed_ids uuid[]?
-- :webhook_id uuid
-- :sealed_secret text
-- :webhooks_max int
-- :actor text
-- returns is_made boolean
select create_webhook(
  owner_id => :account_id,
  key_permission => :permission,
  key_chain => :chain_id,
  to_url => :url,
  told_types => :types,
  told_feed_ids => :feed_ids,
  secret_id => :webhook_id,
  secret => :sealed_secret,
  webhooks_max => :webhooks_max,
  actor => :actor
) as is_made
