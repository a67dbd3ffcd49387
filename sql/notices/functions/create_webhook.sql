-- Creates a webhook. False if its account, or the operators, have reached the maximum. The feeds that it names are
-- watched from now on.
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
  actor text -- :actor
)
returns boolean -- :is_made
language plpgsql
as $$
begin
  perform act_as(actor);
  -- Serializes concurrent creations, so that they are counted one after another.
  perform pg_advisory_xact_lock(7306929, hashtext(coalesce(owner_id::text, '')));
  if (select count(*) from webhooks where account_id is not distinct from owner_id) >= webhooks_max then
    return false;
  end if;
  insert into webhooks (webhook_id, account_id, permission, chain_id, url, types, feed_ids, sealed_secret)
  values (secret_id, owner_id, key_permission, lasting_chain(key_chain), to_url, told_types, told_feed_ids, secret);
  perform compare_feeds(told_feed_ids, clock_timestamp());
  return true;
end
$$;
