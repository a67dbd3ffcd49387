-- Accounts, keys, credit, feeds and their rows, and the logs of reads and pushes.
-- Money is a whole number of nano-dollars (1 credit = 1,000). JSON is kept as json, never jsonb: the
-- provider's own text, with its key order and its numbers.

create table accounts (
  account_id uuid primary key default gen_random_uuid(),
  name text not null,
  max_feeds_allowed integer not null,
  balance_nanos bigint not null default 0,
  created_at timestamptz not null default now(),
  constraint accounts_name_length check (char_length(name) between 1 and 200),
  constraint accounts_max_feeds_not_negative check (max_feeds_allowed >= 0),
  constraint accounts_balance_not_negative check (balance_nanos >= 0)
)
-- A balance moves with every batch of paid reads: half-empty pages keep its updates in place (HOT).
with (fillfactor = 50);

create table api_keys (
  key_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  key_hash bytea not null,
  key_start text not null,
  permission text not null,
  name text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_hash_is_sha256 check (octet_length(key_hash) = 32),
  constraint api_keys_permission_known check (permission in ('read', 'write'))
)
with (fillfactor = 80);

create index api_keys_account on api_keys (account_id, created_at);

create table feeds (
  feed_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  name text not null,
  description text,
  readme_md text,
  category text,
  endpoint_path text not null,
  feed_type text,
  schema_definition json,
  schema_version numeric not null default 1,
  schema_locked boolean not null default false,
  sample_response json,
  sync_interval_mins integer not null default 60,
  update_frequency_text text,
  status text not null default 'draft',
  draft_step numeric,
  price_type text not null default 'free',
  -- Price of one call; price_per_1k is this times 1,000.
  call_price_nanos bigint,
  one_time_price_cents bigint,
  is_public boolean not null default false,
  published_at timestamptz,
  reliability_score numeric(4, 1),
  last_sync_at timestamptz,
  first_pushed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Moves with every change of this row but those that a push makes.
  definition_version bigint not null default 1,
  -- Moves with every successful push.
  push_count bigint not null default 0,
  -- Moves when what readers of the data see changes.
  data_version bigint not null default 0,
  -- Position of the next row: given out under this row's lock, so positions are commit-ordered.
  next_position bigint not null default 1,
  -- The batch that readers of a collection see.
  current_batch bigint,
  constraint feeds_endpoint_path_unique unique (endpoint_path),
  constraint feeds_endpoint_path_form
    check (endpoint_path ~ '^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$'),
  constraint feeds_name_length check (char_length(name) between 1 and 200),
  constraint feeds_description_length check (char_length(description) <= 2000),
  constraint feeds_readme_length check (char_length(readme_md) <= 200000),
  constraint feeds_category_length check (char_length(category) between 1 and 100),
  constraint feeds_feed_type_known check (feed_type in ('singleton', 'collection', 'stream')),
  constraint feeds_status_known check (status in ('draft', 'inactive', 'active')),
  constraint feeds_sync_interval_range check (sync_interval_mins between 1 and 525600),
  constraint feeds_active_was_pushed check (status <> 'active' or first_pushed_at is not null),
  constraint feeds_pricing check (
    (price_type = 'free' and call_price_nanos = 0 and one_time_price_cents is null)
    or (price_type = 'metered' and call_price_nanos > 0 and one_time_price_cents is null)
    or (price_type = 'one_time' and one_time_price_cents >= 100)
  )
)
with (fillfactor = 80);

create index feeds_account on feeds (account_id, created_at, feed_id);

create table credit_ledger (
  entry_id bigint generated always as identity primary key,
  account_id uuid not null references accounts,
  kind text not null,
  amount_nanos bigint not null,
  balance_before_nanos bigint not null,
  balance_after_nanos bigint not null,
  reason text not null,
  reference text,
  created_at timestamptz not null default now(),
  constraint credit_ledger_reference_unique unique (reference),
  constraint credit_ledger_kind_known
    check (kind in ('grant', 'promotion', 'purchase', 'refund', 'charges')),
  constraint credit_ledger_adds_up
    check (balance_after_nanos = balance_before_nanos + amount_nanos or kind = 'charges'),
  constraint credit_ledger_balance_not_negative check (balance_after_nanos >= 0)
);

create index credit_ledger_account on credit_ledger (account_id, entry_id);

create table purchases (
  account_id uuid not null references accounts,
  feed_id uuid not null references feeds,
  entry_id bigint not null references credit_ledger,
  purchased_at timestamptz not null default now(),
  primary key (account_id, feed_id)
);

create table promotion_codes (
  code text primary key,
  amount_nanos bigint not null,
  max_redemptions integer,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint promotion_codes_amount_positive check (amount_nanos > 0),
  constraint promotion_codes_redemptions_positive check (max_redemptions > 0)
);

create table promotion_redemptions (
  code text not null references promotion_codes,
  account_id uuid not null references accounts,
  entry_id bigint not null references credit_ledger,
  redeemed_at timestamptz not null default now(),
  primary key (code, account_id)
);

-- The exact sliding log: one row a window, its counted hits in order of time (microseconds of the
-- Unix epoch). feed_id is the nil UUID where a window is not a feed's.
create table rate_windows (
  account_id uuid not null,
  operation text not null,
  feed_id uuid not null,
  hits bigint[] not null,
  primary key (account_id, operation, feed_id)
)
with (fillfactor = 50);

-- The usage log, and with it the ledger of charges. usage_id is a UUIDv7 made from the database's
-- clock, so its order is that of time and a partition is a range of it.
create table usage_events (
  usage_id uuid not null,
  account_id uuid not null,
  operation text not null,
  feed_id uuid,
  charge_nanos bigint not null,
  balance_after_nanos bigint not null,
  refunded boolean not null default false,
  happened_at timestamptz not null,
  primary key (account_id, usage_id),
  constraint usage_events_charge_not_negative check (charge_nanos >= 0)
)
partition by range (usage_id);

create table idempotency_keys (
  account_id uuid not null,
  idempotency_key text not null,
  query_hash text not null,
  usage_id uuid not null,
  charge_nanos bigint not null,
  happened_at timestamptz not null,
  primary key (account_id, idempotency_key)
);

create index idempotency_keys_happened_at on idempotency_keys (happened_at);

create table documents (
  feed_id uuid primary key references feeds,
  payload json not null
);

create table batches (
  feed_id uuid not null references feeds,
  batch_number bigint not null,
  batch_id text,
  status text not null,
  begun_at timestamptz not null default now(),
  finalized_at timestamptz,
  retired_at timestamptz,
  primary key (feed_id, batch_number),
  constraint batches_batch_id_unique unique (feed_id, batch_id),
  constraint batches_status_known check (status in ('open', 'final', 'retired'))
);

create table collection_rows (
  feed_id uuid not null,
  batch_number bigint not null,
  position bigint not null,
  row_id text not null,
  payload json not null,
  primary key (feed_id, batch_number, position),
  constraint collection_rows_row_id_unique unique (feed_id, batch_number, row_id)
);

create table stream_events (
  feed_id uuid not null,
  position bigint not null,
  row_id text not null,
  event_at timestamptz not null,
  payload json not null,
  primary key (feed_id, event_at, position),
  constraint stream_events_row_id_unique unique (feed_id, row_id)
);

-- One row a push that passed the ownership check: the history that reliability is computed from.
create table pushes (
  push_id bigint generated always as identity primary key,
  feed_id uuid not null references feeds,
  pushed_at timestamptz not null default now(),
  stored boolean not null,
  code text,
  detail text,
  rows_received integer not null,
  rows_inserted integer not null,
  rows_updated integer not null,
  rows_duplicate integer not null,
  body_bytes bigint not null,
  duration_ms integer not null
);

create index pushes_feed on pushes (feed_id, pushed_at desc, push_id desc);

-- What all processes must agree on: the cursor secret, the digest of the functions applied.
create table settings (
  name text primary key,
  value text not null
);
