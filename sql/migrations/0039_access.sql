-- Feeds for named accounts: who may read a feed that is not open, who asks to, and which addresses are invited.

-- open: for every account. by_request: listed for all, but its rows are for the accounts that were granted access.
-- invited: for all other accounts, there is no such feed.
alter table feeds
  add column access text not null default 'open',
  add constraint feeds_access_known check (access in ('open', 'by_request', 'invited'));

-- An invited feed is in no list that all accounts share. PostgreSQL 15 can't change the expression of a generated
-- column, so it is made anew, with its indexes and triggers.
drop trigger feeds_listing_inserted on feeds;
drop trigger feeds_listing_updated on feeds;
drop trigger feeds_listing_folded on feeds;

alter table feeds
  drop column listed_at,
  add column listed_at timestamptz generated always as (
    case
      when status = 'active' and suspension_reason is null and deleted_at is null and is_public
        and access <> 'invited'
        then coalesce(published_at, created_at)
    end
  ) stored;

create index feeds_search on feeds using gin (search) with (fastupdate = off)
where listed_at is not null;

create index feeds_catalog_order on feeds (listed_at desc, feed_id)
where listed_at is not null;

create index feeds_listed_categories on feeds (category)
where listed_at is not null;

select ensure_trigram();

create trigger feeds_listing_inserted
after insert on feeds
for each row
when (new.listed_at is not null)
execute function note_listing_change();

create trigger feeds_listing_updated
after update of listed_at, search on feeds
for each row
when (
  old.listed_at is distinct from new.listed_at
  or (new.listed_at is not null and old.search is distinct from new.search)
)
execute function note_listing_change();

create trigger feeds_listing_folded
after insert or update of listed_at, search on feeds
for each statement
execute function fold_listing();

-- Finds the feeds of an account that only named accounts see.
create index feeds_invited on feeds (account_id, feed_id)
where access = 'invited';

-- An account that may read a feed which is not open, or reads a feed for nothing. It is part of the account's state in
-- admission, as a purchase is.
create table access_grants (
  account_id uuid not null references accounts,
  feed_id uuid not null references feeds,
  -- Whether reads cost nothing. Otherwise the account pays what everybody pays.
  is_free boolean not null default false,
  -- Null: it does not end.
  expires_at timestamptz,
  note text,
  happened_at timestamptz not null default clock_timestamp(),
  primary key (account_id, feed_id),
  constraint access_grants_note_length check (char_length(note) between 1 and 2000)
);

-- Lists the readers of a feed, newest first.
create index access_grants_feed on access_grants (feed_id, happened_at desc, account_id);

create trigger access_grants_account_touched
after insert or update or delete on access_grants
for each row
execute function touch_account();

-- What an account with an invited feed of its own sees in catalog and search is part of its state, too.
create function touch_owner()
returns trigger
language plpgsql
as $$
begin
  update accounts
  set generation = generation
  where account_id = new.account_id;
  return null;
end
$$;

create trigger feeds_owner_touched
after update of access on feeds
for each row
when (old.access is distinct from new.access)
execute function touch_owner();

-- An account's request to read a feed. status: waiting, approved, declined.
create table access_requests (
  request_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  feed_id uuid not null references feeds,
  message text,
  status text not null default 'waiting',
  -- Of a refusal, in the provider's words.
  reason text,
  asked_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  constraint access_requests_status_known check (status in ('waiting', 'approved', 'declined')),
  constraint access_requests_message_length check (char_length(message) between 1 and 2000),
  constraint access_requests_reason_length check (char_length(reason) between 1 and 2000),
  constraint access_requests_answered check ((status = 'waiting') = (answered_at is null))
);

-- One of an account waits at a feed.
create unique index access_requests_waiting on access_requests (account_id, feed_id)
where status = 'waiting';

-- Lists the requests at a feed, and those of an account, newest first.
create index access_requests_feed on access_requests (feed_id, asked_at desc, request_id);
create index access_requests_account on access_requests (account_id, asked_at desc, request_id);

-- Lists those at a feed that wait.
create index access_requests_feed_waiting on access_requests (feed_id, asked_at desc, request_id)
where status = 'waiting';

-- Operators list grants and requests for access of all feeds and accounts.

-- Lists all grants, newest first.
create index access_grants_time on access_grants (happened_at, account_id, feed_id);

-- Lists all requests for access, newest first.
create index access_requests_time on access_requests (asked_at, request_id);

-- Tells the provider that somebody asks for access, and the asker what the answer is.
create function note_access_request_notice()
returns trigger
language plpgsql
as $$
declare
  feed record;
  named jsonb;
begin
  select feeds.account_id, feeds.endpoint_path, feeds.name
  into feed
  from feeds
  where feeds.feed_id = new.feed_id;
  named := jsonb_build_object(
    'feed_id', new.feed_id, 'endpoint_path', feed.endpoint_path, 'name', feed.name, 'request_id', new.request_id
  );
  if tg_op = 'INSERT' then
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'access.requested', 'write', feed.account_id, new.feed_id,
      (named || jsonb_build_object(
        'account_id', new.account_id,
        'account_name', (select accounts.name from accounts where accounts.account_id = new.account_id),
        'message', new.message
      ))::json
    );
  else
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'access.answered', 'read', new.account_id, new.feed_id,
      (named || jsonb_build_object('outcome', new.status, 'reason', new.reason))::json
    );
  end if;
  return null;
end
$$;

create trigger access_requests_asked_told
after insert on access_requests
for each row
execute function note_access_request_notice();

create trigger access_requests_answered_told
after update of status on access_requests
for each row
when (old.status = 'waiting' and new.status <> 'waiting')
execute function note_access_request_notice();

-- An address whose person gets a grant for the account in which it works next.
create table access_invitations (
  invitation_id uuid primary key default gen_random_uuid(),
  feed_id uuid not null references feeds,
  -- In lower case, as persons.address_key.
  address_key text not null,
  address text not null,
  is_free boolean not null default false,
  -- Of the grant.
  expires_at timestamptz,
  note text,
  -- When it is over, if nobody has proven the address.
  ends_at timestamptz not null,
  happened_at timestamptz not null default clock_timestamp(),
  constraint access_invitations_once unique (feed_id, address_key),
  constraint access_invitations_note_length check (char_length(note) between 1 and 2000)
);

create index access_invitations_address on access_invitations (address_key);

-- Notes who may read a feed, and who no longer may.
create function note_access()
returns trigger
language plpgsql
as $$
declare
  -- Not the note, which may be about persons.
  fields constant text[] := array['is_free', 'expires_at'];
  old_row constant json := case when tg_op <> 'INSERT' then to_json(old) end;
  new_row constant json := case when tg_op <> 'DELETE' then to_json(new) end;
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(),
    case tg_op when 'INSERT' then 'access grant' when 'UPDATE' then 'access edit' else 'access end' end,
    (coalesce(new_row, old_row) ->> 'account_id')::uuid,
    (coalesce(new_row, old_row) ->> 'feed_id')::uuid,
    audit_changes(old_row, new_row, fields),
    audit_changes(new_row, old_row, fields)
  );
  return null;
end
$$;

create trigger access_grants_audited
after insert or update or delete on access_grants
for each row
execute function note_access();

-- As before, with the access of feeds.
create or replace function note_audit()
returns trigger
language plpgsql
as $$
declare
  kind constant text := tg_argv[0];
  fields constant text[] := case kind
    when 'feed' then array[
      'name', 'description', 'readme_md', 'category', 'endpoint_path', 'feed_type',
      'schema_definition', 'schema_version', 'schema_locked', 'sample_response', 'sync_interval_mins',
      'update_frequency_text', 'status', 'draft_step', 'price_type', 'call_price_nanos',
      'one_time_price_cents', 'is_public', 'retention_days', 'suspension_reason', 'deleted_at',
      'review', 'review_reason', 'access'
    ]
    when 'account' then array['name', 'max_feeds_allowed', 'suspension_reason']
    when 'key' then array[
      'name', 'key_id', 'feed_ids', 'expires_at', 'permission', 'revoked_at', 'daily_nanos'
    ]
  end;
  -- As JSON, in which a column that the table lacks is null.
  old_row constant json := case when tg_op = 'UPDATE' then to_json(old) end;
  new_row constant json := to_json(new);
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(),
    kind || case
      when old_row is null then ' create'
      when old_row ->> 'deleted_at' is null and new_row ->> 'deleted_at' is not null then ' delete'
      when old_row ->> 'suspension_reason' is null and new_row ->> 'suspension_reason' is not null
        then ' suspend'
      when old_row ->> 'suspension_reason' is not null and new_row ->> 'suspension_reason' is null
        then ' resume'
      when new_row ->> 'review' = 'declined'
        and old_row ->> 'review_reason' is distinct from new_row ->> 'review_reason'
        then ' decline'
      when old_row ->> 'is_public' = 'false' and new_row ->> 'is_public' = 'true' then ' publish'
      when old_row ->> 'is_public' = 'true' and new_row ->> 'is_public' = 'false' then ' unpublish'
      when old_row ->> 'revoked_at' is distinct from new_row ->> 'revoked_at' then ' revoke'
      else ' edit'
    end,
    (new_row ->> 'account_id')::uuid,
    (new_row ->> 'feed_id')::uuid,
    audit_changes(old_row, new_row, fields),
    audit_changes(new_row, old_row, fields)
  );
  return null;
end
$$;
