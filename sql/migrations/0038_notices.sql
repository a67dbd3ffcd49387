-- Notices: what has happened, the addresses that are called with it, and the mails that tell it.

-- Addresses that accounts and operators have named.
create table webhooks (
  webhook_id uuid primary key default gen_random_uuid(),
  -- Null for an operator's.
  account_id uuid references accounts,
  -- Which notices it may get.
  permission text not null,
  -- The chain of rotations of the key that named the address. The address is called only while a key of the chain is
  -- usable, and only with what that key may read. Null: it was named in a session of the console, or by an admin key.
  chain_id uuid,
  url text not null,
  types text[] not null,
  -- The only feeds that it is told of; null: those that its account has to do with.
  feed_ids uuid[],
  -- Secrets are sealed with the gateway's own. The previous one also signs for a day after a rotation.
  sealed_secret text not null,
  previous_sealed_secret text,
  previous_until timestamptz,
  is_active boolean not null default true,
  -- Why the gateway has switched it off: gone or failing.
  switched_off text,
  created_at timestamptz not null default clock_timestamp(),
  -- When its next delivery is due; null: none waits.
  next_at timestamptz,
  -- Until when a process has exclusive use of it.
  leased_until timestamptz,
  -- How the last attempt went: sound if it succeeded promptly, troubled if it failed or was slow, new if there was none.
  health text not null default 'new',
  -- Attempts that have failed since the last success, and when the first of them was.
  failures integer not null default 0,
  failing_since timestamptz,
  constraint webhooks_permission_known check (permission in ('read', 'write', 'admin')),
  constraint webhooks_admin_without_account check ((permission = 'admin') = (account_id is null)),
  constraint webhooks_types_not_empty check (cardinality(types) > 0),
  constraint webhooks_feed_ids_not_empty check (cardinality(feed_ids) > 0),
  constraint webhooks_off_for_reason check (switched_off is null or not is_active),
  constraint webhooks_health_known check (health in ('new', 'sound', 'troubled'))
)
with (fillfactor = 70);

create index webhooks_account_id on webhooks (account_id, created_at, webhook_id);
create index webhooks_due on webhooks (health, failures, next_at) where is_active and next_at is not null;
-- Addresses are named rarely, and looked up each second.
create index webhooks_feed_ids on webhooks using gin (feed_ids) with (fastupdate = off) where feed_ids is not null;

-- What has happened. A row is written in the commit of what it tells.
create table notices (
  notice_id uuid primary key default gen_random_uuid(),
  type text not null,
  -- read: for the account's readers, or if there is no account, for all readers of the feed. write: for the account as
  -- a provider. admin: for operators.
  permission text not null,
  account_id uuid,
  feed_id uuid,
  -- The key's chain, if it is about a key.
  chain_id uuid,
  -- The only address that it is for; null: all.
  webhook_id uuid,
  data json not null,
  happened_at timestamptz not null default clock_timestamp(),
  -- When its deliveries were made; null: they are due.
  spread_at timestamptz,
  constraint notices_permission_known check (permission in ('read', 'write', 'admin'))
);

create index notices_unspread on notices (happened_at) where spread_at is null;
create index notices_happened_at on notices (happened_at, notice_id);

-- A notice on its way to an address, and how that ended.
create table webhook_deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  notice_id uuid not null references notices on delete cascade,
  status text not null default 'waiting',
  created_at timestamptz not null default clock_timestamp(),
  -- When it is tried next; null: no more.
  next_at timestamptz,
  attempts integer not null default 0,
  -- Of the last attempt: when it was, the status of the answer, how long it took, its beginning, and what went wrong.
  attempted_at timestamptz,
  code integer,
  ms integer,
  answer text,
  error text,
  -- Also finds the deliveries of a notice.
  constraint webhook_deliveries_once unique (notice_id, webhook_id),
  constraint webhook_deliveries_status_known check (status in ('waiting', 'delivered', 'failed', 'withheld')),
  constraint webhook_deliveries_next_of_waiting check ((status = 'waiting') = (next_at is not null))
)
with (fillfactor = 70);

create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where status = 'waiting';
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
create index webhook_deliveries_created_at on webhook_deliveries (created_at, delivery_id);
create index webhook_deliveries_failed on webhook_deliveries (created_at, delivery_id) where status = 'failed';

-- Up to which data version the readers of a feed have been told.
create table told_versions (
  feed_id uuid primary key references feeds,
  data_version bigint not null,
  told_at timestamptz not null
)
with (fillfactor = 50);

-- Which feeds an account is told of where it named none: those that it has bought, or has read lately. Kept by a job.
create table account_feeds (
  feed_id uuid not null,
  account_id uuid not null,
  primary key (feed_id, account_id)
);

create index account_feeds_account_id on account_feeds (account_id);

-- Below which balance an account is told, if it has said so, and whether it was below when the job last looked.
create table low_balances (
  account_id uuid primary key references accounts,
  -- 0: it is never told. Null: the default.
  threshold_nanos bigint,
  is_low boolean,
  constraint low_balances_threshold_not_negative check (threshold_nanos >= 0)
)
with (fillfactor = 70);

-- On which day the budget of a key's chain was last told to be spent.
create table spent_budgets (
  account_id uuid not null references accounts,
  chain_id uuid not null,
  day integer not null,
  primary key (account_id, chain_id)
);

-- Feeds whose providers were told that they are late.
create table late_feeds (
  feed_id uuid primary key references feeds,
  late_since timestamptz not null
);

-- The run of refused pushes of a feed: when it was told, and how many were refused since.
create table refused_runs (
  feed_id uuid primary key references feeds,
  told_at timestamptz not null,
  refused integer not null
)
with (fillfactor = 50);

-- Open batches whose end was told. A later push moves the end.
create table closing_batches (
  feed_id uuid not null,
  batch_number bigint not null,
  closes_at timestamptz not null,
  primary key (feed_id, batch_number)
);

-- When operators were last told of a failing job.
create table failed_jobs (
  name text primary key,
  told_at timestamptz not null
);

-- How a member wants to be told by mail, if not as by default.
create table mail_choices (
  account_id uuid not null,
  person_id uuid not null,
  type text not null,
  choice text not null,
  primary key (account_id, person_id, type),
  constraint mail_choices_member foreign key (account_id, person_id) references members on delete cascade,
  constraint mail_choices_choice_known check (choice in ('at_once', 'daily', 'never'))
);

-- Notices that wait to become mails.
create table notice_mails (
  notice_id uuid not null references notices on delete cascade,
  account_id uuid not null,
  person_id uuid not null references persons on delete cascade,
  choice text not null,
  due_at timestamptz not null,
  primary key (notice_id, account_id, person_id)
);

create index notice_mails_due_at on notice_mails (due_at);
create index notice_mails_person_id on notice_mails (person_id);

-- The address by which a mail's reader gets no more of its kind (RFC 8058).
create table mail_unsubscribes (
  mail_id uuid primary key references mails on delete cascade,
  url text not null
);

-- Tells what becomes of a feed: to its readers, its provider, and operators. No push makes this trigger fire, but the
-- first one of a feed.
create function note_feed_notices()
returns trigger
language plpgsql
as $$
declare
  named constant jsonb := jsonb_build_object(
    'feed_id', new.feed_id, 'endpoint_path', coalesce(new.endpoint_path, old.endpoint_path), 'name', new.name
  );
  price_before constant jsonb := jsonb_build_object(
    'price_type', old.price_type,
    'price_per_1k', trim_scale(old.call_price_nanos * 0.000001),
    'one_time_price_usd', trim_scale(old.one_time_price_cents * 0.01)
  );
  price_after constant jsonb := jsonb_build_object(
    'price_type', new.price_type,
    'price_per_1k', trim_scale(new.call_price_nanos * 0.000001),
    'one_time_price_usd', trim_scale(new.one_time_price_cents * 0.01)
  );
  before jsonb := '{}';
  after jsonb := '{}';
begin
  if old.is_readable and new.is_readable then
    if price_before <> price_after then
      before := before || price_before;
      after := after || price_after;
    end if;
    if old.feed_type is distinct from new.feed_type then
      before := before || jsonb_build_object('feed_type', old.feed_type);
      after := after || jsonb_build_object('feed_type', new.feed_type);
    end if;
    if old.schema_definition::text is distinct from new.schema_definition::text
      or old.schema_version <> new.schema_version
      or old.schema_locked <> new.schema_locked
    then
      -- A schema may be large. Its readers fetch it.
      before := before || jsonb_build_object(
        'schema_version', old.schema_version,
        'schema_locked', old.schema_locked,
        'schema_md5', md5(old.schema_definition::text)
      );
      after := after || jsonb_build_object(
        'schema_version', new.schema_version,
        'schema_locked', new.schema_locked,
        'schema_md5', md5(new.schema_definition::text)
      );
    end if;
    if after <> '{}' then
      insert into notices (type, permission, feed_id, data)
      values (
        'feed.changed', 'read', new.feed_id,
        (named || jsonb_build_object('before', before, 'after', after))::json
      );
    end if;
  elsif old.is_readable then
    insert into notices (type, permission, feed_id, data)
    values (
      'feed.gone', 'read', new.feed_id,
      (named || jsonb_build_object('reason', case
        when new.deleted_at is not null then 'deleted'
        when new.suspension_reason is not null then 'suspended'
        else 'inactive'
      end))::json
    );
  end if;

  if old.suspension_reason is null and new.suspension_reason is not null and new.deleted_at is null then
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'feed.suspended', 'write', new.account_id, new.feed_id,
      (named || jsonb_build_object('reason', new.suspension_reason))::json
    );
  end if;
  if new.review = 'declined' and old.review_reason is distinct from new.review_reason
    or not old.is_public and new.is_public
  then
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'feed.reviewed', 'write', new.account_id, new.feed_id,
      (named || jsonb_build_object(
        'outcome', case when new.is_public then 'listed' else 'declined' end,
        'reason', new.review_reason
      ))::json
    );
  end if;
  if old.review <> 'waiting' and new.review = 'waiting' then
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'review.waiting', 'admin', new.account_id, new.feed_id,
      (named || jsonb_build_object('account_id', new.account_id))::json
    );
  end if;
  return null;
end
$$;

create trigger feeds_told
after update of definition_version on feeds
for each row
when (
  old.is_readable is distinct from new.is_readable
  or old.is_public <> new.is_public
  or old.review <> new.review
  or old.review_reason is distinct from new.review_reason
  or old.suspension_reason is distinct from new.suspension_reason
  or old.feed_type is distinct from new.feed_type
  or old.price_type <> new.price_type
  or old.call_price_nanos is distinct from new.call_price_nanos
  or old.one_time_price_cents is distinct from new.one_time_price_cents
  or old.schema_version <> new.schema_version
  or old.schema_locked <> new.schema_locked
  or old.schema_definition::text is distinct from new.schema_definition::text
)
execute function note_feed_notices();

-- A feed may wait for review from its first moment.
create function note_review_notice()
returns trigger
language plpgsql
as $$
begin
  insert into notices (type, permission, account_id, feed_id, data)
  values (
    'review.waiting', 'admin', new.account_id, new.feed_id,
    json_build_object(
      'feed_id', new.feed_id, 'endpoint_path', new.endpoint_path, 'name', new.name, 'account_id', new.account_id
    )
  );
  return null;
end
$$;

create trigger feeds_review_told
after insert on feeds
for each row
when (new.review = 'waiting')
execute function note_review_notice();

create function note_credits_notice()
returns trigger
language plpgsql
as $$
begin
  insert into notices (type, permission, account_id, data)
  values (
    'credits.granted', 'read', new.account_id,
    json_build_object(
      'entry_id', new.entry_id,
      'credits', trim_scale(new.amount_nanos * 0.001),
      'balance_credits', trim_scale(new.balance_after_nanos * 0.001),
      'reason', new.reason
    )
  );
  return null;
end
$$;

create trigger credit_ledger_told
after insert on credit_ledger
for each row
when (new.kind in ('grant', 'promotion') and new.amount_nanos > 0)
execute function note_credits_notice();

-- A sale is told to the provider, without the buyer. A purchase that was undone is told to the buyer, who can no longer
-- read the feed.
create function note_purchase_notice()
returns trigger
language plpgsql
as $$
declare
  feed record;
begin
  select feeds.feed_id, feeds.account_id, feeds.endpoint_path, feeds.name
  into feed
  from feeds
  where feeds.feed_id = case when tg_op = 'INSERT' then new.feed_id else old.feed_id end;
  if tg_op = 'INSERT' then
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'feed.sold', 'write', feed.account_id, feed.feed_id,
      json_build_object(
        'feed_id', feed.feed_id, 'endpoint_path', feed.endpoint_path, 'name', feed.name,
        'usd', trim_scale(new.price_cents * 0.01)
      )
    );
  else
    insert into notices (type, permission, account_id, feed_id, data)
    values (
      'feed.gone', 'read', old.account_id, feed.feed_id,
      json_build_object(
        'feed_id', feed.feed_id, 'endpoint_path', feed.endpoint_path, 'name', feed.name, 'reason', 'unsubscribed'
      )
    );
  end if;
  return null;
end
$$;

create trigger purchases_told
after insert or delete on purchases
for each row
execute function note_purchase_notice();

create function note_payout_notice()
returns trigger
language plpgsql
as $$
begin
  insert into notices (type, permission, account_id, data)
  values (
    'payout.recorded', 'write', new.account_id,
    json_build_object(
      'payout_id', new.payout_id, 'usd', trim_scale(new.amount_nanos * 0.000000001), 'reference', new.reference
    )
  );
  return null;
end
$$;

create trigger payouts_told
after insert on payouts
for each row
execute function note_payout_notice();

-- Tells the first refused push after a stored one, and then at most one in 10 minutes, with how many there were.
create function note_refused_push()
returns trigger
language plpgsql
as $$
declare
  pause constant interval := '10 minutes';
  amount constant int := new.times - case when tg_op = 'UPDATE' then old.times else 0 end;
  feed record;
  refused_before int;
begin
  select feeds.feed_id, feeds.account_id, feeds.endpoint_path, feeds.name, feeds.last_sync_at
  into feed
  from feeds
  where feeds.feed_id = new.feed_id;
  insert into refused_runs (feed_id, told_at, refused)
  values (new.feed_id, '-infinity', 0)
  on conflict (feed_id) do nothing;
  select run.refused into refused_before
  from refused_runs as run
  where run.feed_id = new.feed_id
    and (run.told_at <= new.pushed_at - pause or run.told_at < feed.last_sync_at)
  for no key update;
  if not found then
    update refused_runs
    set refused = refused_runs.refused + amount
    where refused_runs.feed_id = new.feed_id;
    return null;
  end if;
  update refused_runs
  set told_at = new.pushed_at, refused = 0
  where refused_runs.feed_id = new.feed_id;
  insert into notices (type, permission, account_id, feed_id, data)
  values (
    'push.refused', 'write', feed.account_id, feed.feed_id,
    json_build_object(
      'feed_id', feed.feed_id, 'endpoint_path', feed.endpoint_path, 'name', feed.name,
      'refused', refused_before + amount, 'code', new.code, 'detail', new.detail,
      'pushed_at', to_char(new.pushed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    )
  );
  return null;
end
$$;

create trigger pushes_refused_told
after insert on pushes
for each row
when (not new.stored)
execute function note_refused_push();

create trigger pushes_refused_again_told
after update of times on pushes
for each row
when (not new.stored and new.times > old.times)
execute function note_refused_push();

create function note_ledger_notice()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' or old.amount = 0 then
    insert into notices (type, permission, data)
    values (
      'ledger.broken', 'admin', json_build_object('accounts', new.amount, 'listed', string_to_array(new.detail, ','))
    );
  end if;
  return null;
end
$$;

create trigger findings_told
after insert or update on findings
for each row
when (new.name = 'ledger check' and new.amount > 0)
execute function note_ledger_notice();

create function note_topup_notice()
returns trigger
language plpgsql
as $$
begin
  insert into notices (type, permission, account_id, data)
  values (
    'topup.alert', 'admin', new.account_id,
    json_build_object('topup_id', new.topup_id, 'account_id', new.account_id, 'alert', new.alert)
  );
  return null;
end
$$;

create trigger topups_told
after update of alert on topups
for each row
when (new.alert is not null and octet_length(new.alert) > coalesce(octet_length(old.alert), 0))
execute function note_topup_notice();
