-- The audit trail records who names, changes and deletes webhooks, because a webhook sends notices to another address.

-- Notes what becomes of a webhook, but no secret: of the url, only scheme and host.
create function note_webhook()
returns trigger
language plpgsql
as $$
declare
  fields constant text[] := array['webhook_id', 'host', 'permission', 'types', 'feed_ids', 'is_active'];
  -- Shown even if they are the same: an event has no column for the webhook, and a url may change at the same host.
  kept constant text[] := case
    when old.url is distinct from new.url then array['webhook_id', 'host']
    else array['webhook_id']
  end;
  host_of constant text := '^([a-z]+://)(?:[^/?#]*@)?([^/?#@]+)';
  old_row constant jsonb := to_jsonb(old)
    || jsonb_build_object('host', array_to_string(regexp_match(old.url, host_of), ''));
  new_row constant jsonb := to_jsonb(new)
    || jsonb_build_object('host', array_to_string(regexp_match(new.url, host_of), ''));
begin
  insert into audit_events (actor, action, account_id, before, after)
  values (
    audit_actor(),
    case
      when tg_op = 'INSERT' then 'webhook create'
      when tg_op = 'DELETE' then 'webhook delete'
      when old.sealed_secret <> new.sealed_secret then 'webhook rotate'
      else 'webhook edit'
    end,
    (coalesce(new_row, old_row) ->> 'account_id')::uuid,
    audit_changes(old_row::json, (new_row - kept)::json, fields),
    audit_changes(new_row::json, (old_row - kept)::json, fields)
  );
  return null;
end
$$;

create trigger webhooks_audited
after insert or delete on webhooks
for each row
execute function note_webhook();

-- The gateway's own notes on deliveries are no changes. Neither is what it switches off, which it tells by a notice.
create trigger webhooks_changed_audited
after update of url, types, feed_ids, permission, chain_id, sealed_secret, is_active on webhooks
for each row
when (
  old.url <> new.url
  or old.types <> new.types
  or old.feed_ids is distinct from new.feed_ids
  or old.permission <> new.permission
  or old.chain_id is distinct from new.chain_id
  or old.sealed_secret <> new.sealed_secret
  or (old.is_active <> new.is_active and new.switched_off is null)
)
execute function note_webhook();
