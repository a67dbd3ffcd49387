-- Creates a webhook. The feeds that concern it are watched from now on.
--
-- Webhooks of agents that have ended, and of revoked keys, are not counted, because not every key that may create one can
-- see and delete them. Those of expired keys are, because an owner may prolong a key.
--
-- webhooks_max: of an account, or of the operators
-- agent_webhooks_max: of a connected agent, so that no agent uses up those of its account
--
-- Returns made; limited (webhooks_max is reached); agent_limited
create or replace function create_webhook(
  owner_id uuid, -- :account_id?
  key_permission text, -- :permission
  key_chain uuid, -- :chain_id?
  to_url text, -- :url
  told_types text[], -- :types
  told_feed_ids uuid[], -- :feed_ids?
  secret_id uuid, -- :webhook_id
  secret text, -- :sealed_secret
  webhooks_max int, -- :webhooks_max
  agent_webhooks_max int, -- :agent_webhooks_max
  actor text -- :actor
)
returns text -- :outcome
language plpgsql
as $$
begin
  perform act_as(actor);
  -- Serializes concurrent creations, so that they are counted one after another.
  perform pg_advisory_xact_lock(7306929, hashtext(coalesce(owner_id::text, '')));
  if (
    select count(*)
    from webhooks
    where account_id is not distinct from owner_id
      and (
        has_usable_key(webhooks, clock_timestamp())
        or not is_of_agent(webhooks) and exists (
          select
          from api_keys as keys
          where keys.account_id = owner_id
            and keys.chain_id = webhooks.chain_id
            and keys.revoked_at is null
        )
      )
  ) >= webhooks_max then
    return 'limited';
  end if;
  if (
    select count(*)
    from webhooks
    where account_id = owner_id
      and chain_id = key_chain
      and is_of_agent(webhooks)
  ) >= agent_webhooks_max then
    return 'agent_limited';
  end if;
  insert into webhooks (webhook_id, account_id, permission, chain_id, url, types, feed_ids, sealed_secret)
  values (secret_id, owner_id, key_permission, lasting_chain(key_chain), to_url, told_types, told_feed_ids, secret);
  perform compare_feeds(told_feed_ids, clock_timestamp());
  perform watch_feeds_of(owner_id);
  return 'made';
end
$$;
