-- The audit trail: who did what, what was before and after, and when, of operator commands and of
-- create and edit.
--
-- Written by triggers, so in the transaction of the change itself, whatever statement made it. None
-- fires for a read or a push: each waits for columns that those leave alone. Never a key: neither its
-- hash nor its beginning.

create table audit_events (
  event_id bigint generated always as identity primary key,
  happened_at timestamptz not null default clock_timestamp(),
  -- "operator NAME" of the operating system, "key ID" of an API key; else the database's own user.
  actor text not null,
  action text not null,
  -- Whom and what it is about.
  account_id uuid,
  feed_id uuid,
  -- The changed fields only; null where there was nothing.
  before json,
  after json
);

create index audit_events_account on audit_events (account_id, event_id);
create index audit_events_feed on audit_events (feed_id, event_id);

-- Who is at work: what the session or the statement has said.
create function audit_actor()
returns text
language sql
stable
as $$
  select coalesce(nullif(current_setting('feedgate.actor', true), ''), 'database ' || session_user)
$$;

-- A field as the trail keeps it: what is long by its length, digest and beginning, so that an edit costs
-- the trail little.
create function audit_value(field json)
returns json
language sql
immutable
as $$
  select case
    when coalesce(octet_length(field::text), 0) <= 1000 then field
    else json_build_object(
      'bytes', octet_length(field::text),
      'md5', md5(field::text),
      'begins', left(field::text, 200)
    )
  end
$$;

-- The fields of either row that differ; null where that row is null.
create function audit_changes(shown json, other json, fields text[])
returns json
language sql
immutable
as $$
  select json_object_agg(name, audit_value(shown -> name) order by place)
  from unnest(fields) with ordinality as asked (name, place)
  where shown is not null
    and (shown ->> name) is distinct from (other ->> name)
$$;

create function note_feed_audit()
returns trigger
language plpgsql
as $$
declare
  fields constant text[] := array[
    'name', 'description', 'readme_md', 'category', 'endpoint_path', 'feed_type',
    'schema_definition', 'schema_version', 'schema_locked', 'sample_response', 'sync_interval_mins',
    'update_frequency_text', 'status', 'draft_step', 'price_type', 'call_price_nanos',
    'one_time_price_cents', 'is_public'
  ];
  old_row json := case when tg_op = 'UPDATE' then to_json(old) end;
  new_row json := to_json(new);
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(),
    case
      when tg_op = 'INSERT' then 'feed create'
      when old.is_public <> new.is_public and new.is_public then 'feed publish'
      when old.is_public <> new.is_public then 'feed unpublish'
      else 'feed edit'
    end,
    new.account_id,
    new.feed_id,
    audit_changes(old_row, new_row, fields),
    audit_changes(new_row, old_row, fields)
  );
  return null;
end
$$;

create trigger feeds_audited_insert
after insert on feeds
for each row
execute function note_feed_audit();

-- A push leaves definition_version alone, and a new reliability score is nobody's deed.
create trigger feeds_audited_update
after update of definition_version on feeds
for each row
when (
  old.definition_version <> new.definition_version
  and old.reliability_score is not distinct from new.reliability_score
)
execute function note_feed_audit();

create function note_account_audit()
returns trigger
language plpgsql
as $$
declare
  fields constant text[] := array['name', 'max_feeds_allowed'];
  old_row json := case when tg_op = 'UPDATE' then to_json(old) end;
  new_row json := to_json(new);
begin
  insert into audit_events (actor, action, account_id, before, after)
  values (
    audit_actor(),
    case when tg_op = 'INSERT' then 'account create' else 'account edit' end,
    new.account_id,
    audit_changes(old_row, new_row, fields),
    audit_changes(new_row, old_row, fields)
  );
  return null;
end
$$;

-- A balance moves with every batch of reads: it is not among the columns.
create trigger accounts_audited
after insert or update of name, max_feeds_allowed on accounts
for each row
execute function note_account_audit();

create function note_key_audit()
returns trigger
language plpgsql
as $$
declare
  fields constant text[] := array['key_id', 'permission', 'name', 'expires_at', 'revoked_at'];
  old_row json := case when tg_op = 'UPDATE' then to_json(old) end;
  new_row json := to_json(new);
begin
  insert into audit_events (actor, action, account_id, before, after)
  values (
    audit_actor(),
    case when tg_op = 'INSERT' then 'key create' else 'key revoke' end,
    new.account_id,
    -- An edit names its key, which did not change.
    case
      when tg_op = 'UPDATE' then json_build_object('key_id', old.key_id, 'revoked_at', old.revoked_at)
    end,
    case
      when tg_op = 'UPDATE' then json_build_object('key_id', new.key_id, 'revoked_at', new.revoked_at)
      else audit_changes(new_row, old_row, fields)
    end
  );
  return null;
end
$$;

create trigger api_keys_audited_insert
after insert on api_keys
for each row
execute function note_key_audit();

create trigger api_keys_audited_update
after update of revoked_at on api_keys
for each row
when (old.revoked_at is distinct from new.revoked_at)
execute function note_key_audit();

create function note_ledger_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, account_id, before, after)
  values (
    audit_actor(),
    case new.kind
      when 'grant' then 'credits grant'
      when 'promotion' then 'promo redeem'
      else 'purchase record'
    end,
    new.account_id,
    json_build_object('balance_nanos', new.balance_before_nanos),
    json_build_object(
      'entry_id', new.entry_id,
      'amount_nanos', new.amount_nanos,
      'balance_nanos', new.balance_after_nanos,
      'reason', new.reason,
      'reference', new.reference
    )
  );
  return null;
end
$$;

-- Refunds and carried-over charges are the gateway's own.
create trigger credit_ledger_audited
after insert on credit_ledger
for each row
when (new.kind in ('grant', 'promotion', 'purchase'))
execute function note_ledger_audit();

create function note_promotion_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, after)
  values (audit_actor(), 'promo create', to_json(new));
  return null;
end
$$;

create trigger promotion_codes_audited
after insert on promotion_codes
for each row
execute function note_promotion_audit();
