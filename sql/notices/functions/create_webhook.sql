-- Creates a webhook, unless its account, or the operators, have reached the maximum. The feeds that it names are
-- watched from now on.
create or replace function create_webhook(
  owner_id uuid,
  key_permission text,
  key_chain uuid,
  to_url text,
  told_types text[],
  told_feed_ids uuid[],
  secret_id uuid,
  secret text,
  webhooks_max int,
  actor text
)
returns boolean
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
