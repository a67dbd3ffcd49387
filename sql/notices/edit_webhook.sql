-- name: edit_webhook
-- why: edits a webhook; null parameters change nothing
-- Switching a webhook on assigns it to the chain of the key that did so, and resets its failures. Switching it off
-- fails its pending deliveries, so after it is switched on again, it receives only new notices.
-- has_feed_ids: whether feed_ids replaces the feeds; null then means all feeds that concern the account
-- :account_id uuid?
-- :permission text
-- :chain_id uuid?
-- :webhook_id uuid
-- :url text?
-- :types text[]?
-- :has_feed_ids boolean
-- :feed_ids uuid[]?
-- :is_active boolean?
-- :editor_chain_id uuid?
-- :actor text
-- returns webhook_id uuid, feeds_watched boolean
with acting as materialized (
  select act_as(:actor)
),
edited as (
  update webhooks
  set url = coalesce(:url, url),
    types = coalesce(:types, types),
    feed_ids = case when :has_feed_ids then :feed_ids else feed_ids end,
    is_active = coalesce(:is_active, is_active),
    switched_off = case when coalesce(:is_active, is_active) then null else switched_off end,
    health = case when :is_active or :url is not null then 'new' else health end,
    failures = case when :is_active or :url is not null then 0 else failures end,
    failing_since = case when :is_active or :url is not null then null else failing_since end,
    chain_id = case when :is_active then lasting_chain(:editor_chain_id) else chain_id end
  from acting
  where account_id is not distinct from :account_id
    and permission = :permission
    and (chain_id = :chain_id or :chain_id is null)
    and webhook_id = :webhook_id
  returning webhooks.webhook_id
),
ended as (
  update webhook_deliveries as waiting
  set status = 'failed', next_at = null, error = 'The webhook was switched off.'
  from edited
  where not :is_active
    and waiting.webhook_id = edited.webhook_id
    and waiting.status = 'waiting'
)
select
  edited.webhook_id,
  compare_feeds(:feed_ids, clock_timestamp()) is null and watch_feeds_of(:account_id) is null as feeds_watched
from edited
