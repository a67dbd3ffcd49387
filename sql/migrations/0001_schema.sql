-- The whole schema, feature by feature: each with its tables, indexes, trigger functions and triggers.
--
-- Money is a whole number of nano-dollars: 1 credit is 1,000. JSON is stored as json, never jsonb, so that the
-- provider's own text keeps its key order and its numbers.
--
-- Functions that triggers call are here, not in the folders of the features. A trigger runs for every gateway
-- version that serves this database, while each version calls other functions in a set of its own.


-- ACCOUNTS AND KEYS

-- A gateway decides reads in memory. It may do so while it knows an account's newest version, because then it
-- knows all of the account's state.
create table accounts (
  account_id uuid primary key default gen_random_uuid(),
  name text not null,
  max_feeds_allowed integer not null,
  balance_nanos bigint not null default 0,
  created_at timestamptz not null default now(),
  -- A random token that every change of the account's balance, log, keys or purchases renews. It is random so
  -- that no token repeats after a failover that lost commits.
  version bigint not null default floor(random() * 281474976710656),
  -- A token as random as the version, which only changes other than charges and their events renew. While it is
  -- unchanged, a gateway needs only the events that are newer than those it knows.
  generation bigint not null default floor(random() * 281474976710656),
  -- When the newest event of the account's log was decided, in microseconds of the Unix epoch.
  logged_us bigint not null default 0,
  -- Why no key of the account may be used at present; null: they may.
  suspension_reason text,
  constraint accounts_name_length check (char_length(name) between 1 and 200),
  constraint accounts_max_feeds_not_negative check (max_feeds_allowed >= 0),
  constraint accounts_balance_not_negative check (balance_nanos >= 0)
)
-- Every batch of paid reads updates balances. Half-empty pages keep those updates in place (HOT).
with (fillfactor = 50);

create table api_keys (
  key_id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts,
  -- A key itself is never stored.
  key_hash bytea not null,
  key_start text not null,
  permission text not null,
  name text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- What the key may spend in a UTC day; null: all that the account has.
  daily_nanos bigint,
  -- The only feeds that it may read; null: all.
  feed_ids uuid[],
  -- The key that was rotated, if this one was made by that.
  replaces uuid references api_keys,
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_hash_is_sha256 check (octet_length(key_hash) = 32),
  constraint api_keys_permission_known check (permission in ('read', 'write')),
  constraint api_keys_daily_not_negative check (daily_nanos >= 0),
  constraint api_keys_feed_ids_not_empty check (cardinality(feed_ids) > 0)
)
-- last_used_at is updated often.
with (fillfactor = 80);

-- What keys with a budget have spent on their newest day, in days of the Unix epoch, UTC. It is written under the
-- lock of the account and is part of its state. So that a budget holds for the whole of the day on which it is
-- set, `edit_key` begins with what the usage log has.
create table key_spending (
  account_id uuid not null references accounts,
  key_id uuid not null references api_keys,
  day integer not null,
  spent_nanos bigint not null,
  primary key (account_id, key_id),
  constraint key_spending_not_negative check (spent_nanos >= 0)
)
with (fillfactor = 50);

-- Lists the keys of an account, oldest first.
create index api_keys_account on api_keys (account_id, created_at);

-- Renews the version on any update that did not do so itself, as log_reads does. So no statement can forget it.
create function renew_account_version()
returns trigger
language plpgsql
as $$
begin
  new.version := floor(random() * 281474976710656);
  new.generation := floor(random() * 281474976710656);
  return new;
end
$$;

create trigger accounts_version_renewed
before update on accounts
for each row
when (new.version = old.version)
execute function renew_account_version();

-- Renews the version of the account whose key or purchase changed, because both are part of its state.
create function touch_account()
returns trigger
language plpgsql
as $$
begin
  update accounts
  set generation = generation
  where account_id in (old.account_id, new.account_id);
  return null;
end
$$;

-- last_used_at is not among the columns, because it is no part of the account's state.
create trigger api_keys_account_touched
after insert or delete
  or update of account_id, key_hash, permission, expires_at, revoked_at, daily_nanos, feed_ids
  on api_keys
for each row
execute function touch_account();


-- FEEDS

-- The words that a feed is found by. They are generated columns of the feed, so they are always up to date, and
-- they depend only on columns that a push leaves alone, so they cost a push nothing.

-- Turns text into plain words: lower case, without accents and apostrophes, one space between words. CJK
-- characters are set apart, because they are written without spaces. The ranges are spelt out, because
-- character classes depend on the locale.
create function search_plain(raw text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select case
    when octet_length(raw) = char_length(raw) then
      trim(both ' ' from regexp_replace(lower(replace(raw, '''', '')), '[^a-z0-9]+', ' ', 'g'))
    else
      trim(both ' ' from regexp_replace(
        regexp_replace(
          lower(normalize(
            regexp_replace(normalize(raw, NFKD), '[\u0300-\u036f''\u2019]', '', 'g'),
            NFC
          )),
          '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])', ' \1 ', 'g'
        ),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'
      ))
  end;
end;

-- Takes camelCase and ABCWords apart.
create function search_split(raw text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select regexp_replace(
    regexp_replace(raw, '([a-z0-9])([A-Z])', '\1 \2', 'g'),
    '([A-Z])([A-Z][a-z])', '\1 \2', 'g'
  );
end;

-- Joins every two neighbouring words, and all of them: "open liga db" gives openliga, ligadb and openligadb. So
-- words that are typed together find those that are written apart, and the other way round.
create function search_joined(plain text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select concat_ws(
    ' ',
    (
      select string_agg(words[place] || words[place + 1], ' ' order by place)
      from generate_series(1, least(array_length(words, 1) - 1, 40)) as place
    ),
    array_to_string(words, '')
  )
  from string_to_array(plain, ' ') as words;
end;

-- The property names of a JSON Schema, at any depth, as text.
create function search_properties(schema json)
returns text
language plpgsql
immutable
strict
parallel safe
-- A dump that is restored computes the columns anew, without a search path.
set search_path from current
as $$
begin
  return (
    select string_agg(name, ' ' order by name)
    from (
      select distinct key #>> '{}' as name
      from jsonb_path_query(
        schema::jsonb,
        '$.**.properties ? (@.type() == "object").keyvalue().key',
        silent => true
      ) as key
      order by name
      limit 500
    ) as names
  );
exception when others then
  -- What jsonb can't hold has no searchable names; it must not refuse the feed.
  return null;
end
$$;

-- The weighted words of a feed without its readme: the name as A, description and category as B, the property
-- names of the schema as C. Marked copies let the index alone tell which feeds have a word in their name or
-- category: "@" marks words of the name, "#" words of the category, and "=" the whole category.
create function search_head_of(name text, description text, category text, schema json)
returns tsvector
language plpgsql
immutable
parallel safe
set search_path from current
as $$
declare
  -- A word has at most 2,046 bytes, its mark included.
  mark_bytes_max constant integer := 2000;
  plain text := search_plain(name);
  parts text := search_plain(search_split(name));
  named tsvector := to_tsvector('english', plain);
  named_apart tsvector := to_tsvector('english', parts);
  filed tsvector := to_tsvector('english', coalesce(search_plain(category), ''));
  properties text := search_plain(search_split(search_properties(schema)));
begin
  named := named || to_tsvector('simple', search_joined(plain));
  if parts <> plain then
    named := named || named_apart || to_tsvector('simple', search_joined(parts));
  end if;
  return setweight(named, 'A')
    || setweight(to_tsvector('english', coalesce(search_plain(description), '')) || filed, 'B')
    || setweight(to_tsvector('english', coalesce(properties, '')), 'C')
    || array_to_tsvector(
      array(
        select '@' || word
        from unnest(tsvector_to_array(named_apart)) as word
        where octet_length(word) < mark_bytes_max
      )
      || array(
        select '#' || word
        from unnest(tsvector_to_array(filed)) as word
        where octet_length(word) < mark_bytes_max
      )
      || ('=' || lower(coalesce(category, 'uncategorized')))
    );
end
$$;

-- All weighted words of a feed: those of search_head_of, and the readme's as D.
create function search_words_of(
  name text,
  description text,
  category text,
  schema json,
  readme text
)
returns tsvector
language plpgsql
immutable
parallel safe
set search_path from current
as $$
declare
  head tsvector := search_head_of(name, description, category, schema);
begin
  if readme is null then
    return head;
  end if;
  return head || setweight(to_tsvector('english', search_plain(readme)), 'D');
exception when program_limit_exceeded then
  -- A tsvector holds 1 MB: of a readme with more different words than that, the beginning counts.
  return head
    || setweight(to_tsvector('english', left(search_plain(left(readme, 20000)), 20000)), 'D');
end
$$;

-- A feed needs no `before update` row trigger, and must never get one: PostgreSQL would then compute every
-- generated column at every push.
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
  -- The price of one call; price_per_1k is this times 1,000.
  call_price_nanos bigint,
  one_time_price_cents bigint,
  is_public boolean not null default false,
  published_at timestamptz,
  reliability_score numeric(4, 1),
  last_sync_at timestamptz,
  first_pushed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Counts changes of this row, except those that a push makes.
  definition_version bigint not null default 1,
  -- Counts successful pushes.
  push_count bigint not null default 0,
  -- Counts changes of what readers of the data see.
  data_version bigint not null default 0,
  -- The position of the next row. It is given out under this row's lock, so positions are in commit order.
  next_position bigint not null default 1,
  -- The batch that readers of a collection see.
  current_batch bigint,
  -- Days after which the events of a stream are no longer read, and are removed; null: they stay.
  retention_days integer,
  -- Why the operator lets nobody read the feed or push to it at present; null: it may be.
  suspension_reason text,
  -- A deleted feed is found by nobody but the operator. Its row stays for the log and the ledger.
  deleted_at timestamptz,
  -- When the last of a deleted feed's rows had been removed.
  emptied_at timestamptz,
  -- Whether readers find the feed.
  is_readable boolean not null generated always as (
    status = 'active' and suspension_reason is null and deleted_at is null
  ) stored,
  -- What the catalog is ordered by. A feed is listed while it is readable and public; if not, this is null.
  listed_at timestamptz generated always as (
    case
      when status = 'active' and suspension_reason is null and deleted_at is null and is_public
        then coalesce(published_at, created_at)
    end
  ) stored,
  search tsvector generated always as (
    search_words_of(name, description, category, schema_definition, readme_md)
  ) stored,
  -- What search ranks by. It is small enough to stay in the row, where the words of a readme are not.
  search_head tsvector generated always as (
    search_head_of(name, description, category, schema_definition)
  ) stored,
  -- The name without its spaces, by which close names are compared.
  name_key text generated always as (replace(search_plain(name), ' ', '')) stored,
  constraint feeds_endpoint_path_unique unique (endpoint_path),
  constraint feeds_endpoint_path_form
    check (endpoint_path ~ '^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$'),
  constraint feeds_name_length check (char_length(name) between 1 and 200),
  constraint feeds_description_length check (char_length(description) <= 2000),
  constraint feeds_readme_length check (char_length(readme_md) <= 200000),
  constraint feeds_category_length check (char_length(category) between 1 and 100),
  constraint feeds_feed_type_known check (feed_type in ('singleton', 'collection', 'stream')),
  constraint feeds_status_known check (status in ('draft', 'inactive', 'active')),
  constraint feeds_retention_range
    check (retention_days is null or (retention_days between 1 and 3650 and feed_type = 'stream')),
  constraint feeds_sync_interval_range check (sync_interval_mins between 1 and 525600),
  constraint feeds_active_was_pushed check (status <> 'active' or first_pushed_at is not null),
  constraint feeds_pricing check (
    (price_type = 'free' and call_price_nanos = 0 and one_time_price_cents is null)
    or (price_type = 'metered' and call_price_nanos > 0 and one_time_price_cents is null)
    or (price_type = 'one_time' and one_time_price_cents >= 100)
  )
)
-- Every push updates its feed.
with (fillfactor = 80);

-- Lists the feeds of an account.
create index feeds_account on feeds (account_id, created_at, feed_id);

-- Finds deleted feeds whose rows are to be removed, or whose slug is to be set free.
create index feeds_deleted on feeds (deleted_at)
where deleted_at is not null;

-- Finds streams whose old events are to be removed.
create index feeds_retained on feeds (feed_id)
where retention_days is not null;

-- Finds listed feeds by their words.
create index feeds_search on feeds using gin (search) with (fastupdate = off)
where listed_at is not null;

-- Reads a page of the catalog, newest first.
create index feeds_catalog_order on feeds (listed_at desc, feed_id)
where listed_at is not null;


-- CATALOG

-- How many listed feeds have each word. By it, search weighs a word, completes a cut one, and, through trigrams,
-- corrects a mistyped one.
create table search_words (
  word text collate "C" primary key,
  feeds bigint not null
)
with (fillfactor = 70);

-- The catalog in order, cut into blocks, newest first: how many feeds stand between a block's start and the next
-- block's. Their sum is the catalog's exact total. A page at any offset is found by adding up blocks, so that no
-- read walks over feeds.
create table catalog_blocks (
  starts_at timestamptz not null,
  starts_with uuid not null,
  feeds integer not null,
  primary key (starts_at, starts_with),
  constraint catalog_blocks_feeds_not_negative check (feeds >= 0)
)
with (fillfactor = 50);

-- The first block always exists, so that every feed has one.
insert into catalog_blocks (starts_at, starts_with, feeds)
values ('infinity', '00000000-0000-0000-0000-000000000000', 0);

-- What the current statement has changed. The end of the statement folds it into the two tables above, so this
-- table is empty between statements.
create table listing_changes (
  feed_id uuid not null,
  listed_at timestamptz not null,
  search tsvector not null,
  feeds integer not null
);

-- Divides every catalog block of more than feeds_max feeds into blocks of half of that.
create function divide_catalog_blocks(feeds_max integer)
returns void
language sql
as $$
  with blocks as (
    select
      starts_at,
      starts_with,
      feeds,
      lead(starts_at) over in_order as next_at,
      lead(starts_with) over in_order as next_with
    from catalog_blocks
    window in_order as (order by starts_at desc, starts_with)
  ),
  long_blocks as (
    delete from catalog_blocks
    using blocks
    where blocks.feeds > feeds_max
      and catalog_blocks.starts_at = blocks.starts_at
      and catalog_blocks.starts_with = blocks.starts_with
    returning blocks.*
  ),
  places as (
    select
      long_blocks.starts_at,
      long_blocks.starts_with,
      members.listed_at,
      members.feed_id,
      members.place
    from long_blocks
    cross join lateral (
      select
        feeds.listed_at,
        feeds.feed_id,
        row_number() over (order by feeds.listed_at desc, feeds.feed_id) - 1 as place
      from feeds
      where feeds.listed_at is not null
        and feeds.listed_at <= long_blocks.starts_at
        and (feeds.listed_at < long_blocks.starts_at or feeds.feed_id >= long_blocks.starts_with)
        and (
          long_blocks.next_at is null
          or feeds.listed_at > long_blocks.next_at
          or (feeds.listed_at = long_blocks.next_at and feeds.feed_id < long_blocks.next_with)
        )
    ) as members
  ),
  parts as (
    select
      starts_at,
      starts_with,
      place / (feeds_max / 2) as part,
      count(*) as feeds,
      (array_agg(listed_at order by place))[1] as listed_at,
      (array_agg(feed_id order by place))[1] as feed_id
    from places
    group by starts_at, starts_with, part
  )
  -- The first part keeps the block's own start, which may lie before its first feed.
  insert into catalog_blocks (starts_at, starts_with, feeds)
  select
    case when part = 0 then starts_at else listed_at end,
    case when part = 0 then starts_with else feed_id end,
    feeds
  from parts
  order by starts_at desc, starts_with, part
$$;

-- Folds listing_changes into the counts of words and catalog blocks.
--
-- It runs once per statement, so that a statement that publishes many feeds counts each word once. Statements
-- that list or unlist feeds take turns on one lock, because two can't divide blocks at a time. Both are rare.
create function fold_listing()
returns trigger
language plpgsql
as $$
declare
  block_feeds_max constant integer := 512;
begin
  if not exists (select from listing_changes) then
    return null;
  end if;
  perform pg_advisory_xact_lock(7306928);

  with words as (
    select word, sum(listing_changes.feeds) as feeds
    from listing_changes
    cross join lateral unnest(tsvector_to_array(listing_changes.search)) as word
    where word !~ '^[@#=]'
    group by word
    having sum(listing_changes.feeds) <> 0
  )
  insert into search_words as known (word, feeds)
  select word, feeds
  from words
  order by word
  on conflict (word) do update
  set feeds = known.feeds + excluded.feeds;

  delete from search_words
  where feeds <= 0
    and word in (
      select word
      from listing_changes
      cross join lateral unnest(tsvector_to_array(listing_changes.search)) as word
      where listing_changes.feeds < 0
    );

  -- The block of a place is the last one that starts at or before it: newest first, then by id.
  with changes as (
    select starts.starts_at, starts.starts_with, sum(listing_changes.feeds) as feeds
    from listing_changes
    cross join lateral (
      select starts_at, starts_with
      from catalog_blocks
      where starts_at > listing_changes.listed_at
        or (starts_at = listing_changes.listed_at and starts_with <= listing_changes.feed_id)
      order by starts_at, starts_with desc
      limit 1
    ) as starts
    group by starts.starts_at, starts.starts_with
  )
  update catalog_blocks
  set feeds = catalog_blocks.feeds + changes.feeds
  from changes
  where catalog_blocks.starts_at = changes.starts_at
    and catalog_blocks.starts_with = changes.starts_with;

  delete from listing_changes;
  delete from catalog_blocks
  where feeds = 0
    and starts_at < 'infinity';

  perform divide_catalog_blocks(block_feeds_max);
  return null;
end
$$;

create function note_listing_change()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and old.listed_at is not null then
    insert into listing_changes (feed_id, listed_at, search, feeds)
    values (old.feed_id, old.listed_at, old.search, -1);
  end if;
  if new.listed_at is not null then
    insert into listing_changes (feed_id, listed_at, search, feeds)
    values (new.feed_id, new.listed_at, new.search, 1);
  end if;
  return null;
end
$$;

-- There is none for a deletion, because a deleted feed keeps its row and is no longer listed.
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

-- Creates what needs pg_trgm, and tells whether the extension is there. Without it, search works but does not
-- correct mistyped words. Every start asks again, so the extension may be installed later.
create function ensure_trigram()
returns boolean
language plpgsql
as $$
begin
  if to_regproc('similarity') is null then
    begin
      create extension if not exists pg_trgm;
    exception when others then
      raise warning 'search runs without tolerance for typing errors, since pg_trgm is not to be had (%): have it installed with "create extension pg_trgm" and start again', sqlerrm;
    end;
  end if;
  if to_regproc('similarity') is null then
    return false;
  end if;
  if to_regclass('feeds_name_key_trigrams') is null then
    create index if not exists feeds_name_key_trigrams on feeds using gin (name_key gin_trgm_ops)
    with (fastupdate = off)
    where listed_at is not null;
  end if;
  if to_regclass('search_words_trigrams') is null then
    create index if not exists search_words_trigrams on search_words using gin (word gin_trgm_ops)
    with (fastupdate = off);
  end if;
  return true;
end
$$;

select ensure_trigram();


-- PUSHED DATA

-- The data of a singleton.
create table documents (
  feed_id uuid primary key references feeds,
  payload json not null
);

-- The batches of a collection.
create table batches (
  feed_id uuid not null references feeds,
  batch_number bigint not null,
  -- The provider's name for it; null for a batch that one push made whole.
  batch_id text,
  status text not null,
  begun_at timestamptz not null default now(),
  finalized_at timestamptz,
  retired_at timestamptz,
  -- Null while rows of the batch may be left. An emptied batch that has a name stays, so that it is known to be
  -- closed. One without a name goes with its rows.
  emptied_at timestamptz,
  -- The last push by its name after the one that began it. A batch without a push for a day was abandoned.
  pushed_at timestamptz,
  -- MD5 of the row ids of the push that finalized it, in their order. It tells a retry of that push.
  finalizing_ids text,
  primary key (feed_id, batch_number),
  constraint batches_batch_id_unique unique (feed_id, batch_id),
  constraint batches_status_known check (status in ('open', 'final', 'retired'))
);

-- Finds retired batches whose rows are to be removed.
create index batches_to_empty on batches (retired_at)
where status = 'retired' and emptied_at is null;

-- Finds abandoned batches.
create index batches_open on batches (begun_at)
where status = 'open';

-- How many rows a feed has, and the bytes of their payloads as UTF-8 text, by batch; 0 stands for singletons and
-- streams. Whatever writes or removes rows keeps it right (add_row_totals), so that no read counts rows.
create table row_totals (
  feed_id uuid not null references feeds,
  batch_number bigint not null,
  row_count bigint not null,
  payload_bytes bigint not null,
  primary key (feed_id, batch_number),
  constraint row_totals_not_negative check (row_count >= 0 and payload_bytes >= 0)
)
-- Most pushes change one.
with (fillfactor = 50);

-- The rows of collections.
create table collection_rows (
  feed_id uuid not null,
  batch_number bigint not null,
  position bigint not null,
  row_id text not null,
  payload json not null,
  primary key (feed_id, batch_number, position),
  constraint collection_rows_row_id_unique unique (feed_id, batch_number, row_id)
);

-- The events of streams, in the order of their pages.
create table stream_events (
  feed_id uuid not null,
  position bigint not null,
  row_id text not null,
  event_at timestamptz not null,
  payload json not null,
  primary key (feed_id, event_at, position),
  constraint stream_events_row_id_unique unique (feed_id, row_id),
  -- Followers read in the order of arrival, and a filtered read finds the events that the index lacks.
  constraint stream_events_position_unique unique (feed_id, position)
);

-- Every push that passed the ownership check. Reliability is computed from this history.
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

-- Finds the newest pushes of a feed.
create index pushes_feed on pushes (feed_id, pushed_at desc, push_id desc);

-- The windows of push limits as exact sliding logs: the hits of a feed in the order of time, in
-- microseconds of the Unix epoch. Windows of reads need no table, because their usage events are the hits.
create table push_windows (
  feed_id uuid primary key references feeds,
  hits bigint[] not null
)
-- Every push rewrites its feed's row. Above 250 hits PostgreSQL would compress them each time, which took ten
-- times as long as the rest of an admission. So they are stored as they are, and up to about 1,000 within the row.
with (fillfactor = 50, toast_tuple_target = 8160);

alter table push_windows
alter column hits set storage external;

-- The data version of a feed, stored beside its rows if these are distributed by `distribute_rows`. It is empty
-- on a single server.
--
-- The feed's row is on the coordinator, and its rows are on another server. A push commits both together, but
-- they become visible one after the other. A reader that sees the version here sees the rows that belong to it.
create table feed_versions (
  feed_id uuid primary key,
  data_version bigint not null
);

-- `distribute_rows` makes its trigger.
create function note_feed_version()
returns trigger
language plpgsql
as $$
begin
  delete from feed_versions
  where feed_versions.feed_id = new.feed_id;
  -- From a set, and not as values: that is what Citus commits in two phases, with the feed's row and all
  -- rows of the push.
  insert into feed_versions (feed_id, data_version)
  select moved.feed_id, moved.data_version
  from unnest(array[new.feed_id], array[new.data_version]) as moved (feed_id, data_version);
  return null;
end
$$;


-- FILTER INDEX

-- Answers `eq` filters of feeds that are too large to be looked through: one entry per row and top-level field,
-- written in the background. It is kept apart from the rows, because every push would pay for it otherwise.
-- Entries of one value are in the order of a page, so the first 20 of 50,000 matches cost as much as of one.

create table filter_indexes (
  filter_index_id integer generated always as identity primary key,
  feed_id uuid not null,
  -- Zero for a stream.
  batch_number bigint not null,
  -- Rows up to this position are in the index. A read looks through those after it.
  indexed_position bigint not null default 0,
  constraint filter_indexes_batch_unique unique (feed_id, batch_number)
);

-- A term is the hash of a field and its value, so a read compares the rows that it finds by it once more.
create table filter_terms (
  filter_index_id integer not null,
  term integer not null,
  -- -infinity for a collection, whose pages are in the order of positions.
  event_at timestamptz not null,
  position bigint not null,
  primary key (filter_index_id, term, event_at, position)
);

-- Rows that were replaced after they were indexed, with the payload that was indexed. A filtered read looks
-- through them. The index takes them in later, so that no push writes to it.
create table replaced_rows (
  filter_index_id integer not null,
  position bigint not null,
  payload json not null,
  primary key (filter_index_id, position)
);

-- The number of a top-level field and its value. It is the same for values that `eq` holds to be equal: 5 and
-- 5.0, but not 5 and "5". The index is on disk, so every gateway version must hash alike. PostgreSQL partitions
-- tables by these two hashes, so they stay the same from one of its versions to the next.
create function filter_term(name text, value jsonb)
returns integer
language sql
immutable
parallel safe
as $$
  select jsonb_hash_extended(value, hashtextextended(name, 0))::bit(32)::integer
$$;

-- Leaves out the exponents of zeros in JSON that PostgreSQL can't cast to jsonb: a number like 0e-16384 is valid
-- in JSON, but a numeric can't print it. Strings stay as they are.
create function narrowed_jsonb(source text)
returns jsonb
language plpgsql
immutable
as $$
begin
  return source::jsonb;
exception
  when numeric_value_out_of_range then
    return regexp_replace(
      source,
      -- A string; a number that is not zero; a zero.
      '("(?:[^"\\]|\\.)*")|(-?[0-9.]*[1-9][0-9.]*(?:[eE][+-]?[0-9]+)?)|(-?0(?:\.0+)?)[eE][+-]?[0-9]+',
      '\1\2\3',
      'g'
    )::jsonb;
end
$$;

-- A row as jsonb. Few rows have a zero before an "e"; the others pay only for the look, and for no block that
-- catches errors.
create function payload_jsonb(payload json)
returns jsonb
language sql
immutable
as $$
  select case
    when payload::text like '%0e%' or payload::text like '%0E%' then narrowed_jsonb(payload::text)
    else payload::jsonb
  end
$$;

-- The terms of a row: of its strings, numbers, booleans and nulls.
create function row_terms(payload json)
returns setof integer
language sql
immutable
rows 10
as $$
  select distinct filter_term(key, value)
  from jsonb_each(payload_jsonb(payload))
  where jsonb_typeof(value) not in ('object', 'array')
$$;


-- READS

-- The usage log, which is also the ledger of charges. usage_id is a UUIDv7 of the database's clock, so its order
-- is that of time, and a partition is a range of it.
create table usage_events (
  usage_id uuid not null,
  account_id uuid not null,
  operation text not null,
  feed_id uuid,
  -- The key that the read came with.
  key_id uuid,
  charge_nanos bigint not null,
  -- Whether the charge was given back.
  refunded boolean not null default false,
  -- Whether the read was answered with an error after all. If so, it counts in no window.
  failed boolean not null default false,
  happened_at timestamptz not null,
  primary key (account_id, usage_id),
  constraint usage_events_charge_not_negative check (charge_nanos >= 0)
)
partition by range (usage_id);

-- The reads that had an Idempotency-Key, so that a retry is not charged again.
create table idempotency_keys (
  account_id uuid not null,
  idempotency_key text not null,
  query_hash text not null,
  usage_id uuid not null,
  charge_nanos bigint not null,
  happened_at timestamptz not null,
  -- Whether a client has been answered with the event. If so, it is not refunded, whatever became of its batch.
  is_replayed boolean not null default false,
  primary key (account_id, idempotency_key)
);

-- Finds the keys that have expired.
create index idempotency_keys_happened_at on idempotency_keys (happened_at);


-- CREDIT

-- Every change of a balance but the charges of reads, which are in the usage log. When an old part of that log
-- is dropped, its sum becomes one entry of the kind `charges`.
create table credit_ledger (
  entry_id bigint generated always as identity primary key,
  account_id uuid not null references accounts,
  kind text not null,
  -- The feed that was bought, or whose read was refunded; null for others.
  feed_id uuid,
  amount_nanos bigint not null,
  balance_before_nanos bigint not null,
  balance_after_nanos bigint not null,
  reason text not null,
  -- Unique, so that a grant that is sent twice is given once.
  reference text,
  created_at timestamptz not null default now(),
  constraint credit_ledger_reference_unique unique (reference),
  constraint credit_ledger_kind_known
    check (kind in (
      'grant', 'revocation', 'promotion', 'purchase', 'purchase_undo', 'refund', 'charges'
    )),
  constraint credit_ledger_adds_up
    check (balance_after_nanos = balance_before_nanos + amount_nanos or kind = 'charges'),
  constraint credit_ledger_balance_not_negative check (balance_after_nanos >= 0)
);

-- Reads the ledger of an account in order.
create index credit_ledger_account on credit_ledger (account_id, entry_id);

-- Feeds that an account has bought at a one-time price.
create table purchases (
  account_id uuid not null references accounts,
  feed_id uuid not null references feeds,
  entry_id bigint not null references credit_ledger,
  -- The feed's price at that moment.
  price_cents bigint not null,
  purchased_at timestamptz not null default now(),
  primary key (account_id, feed_id)
);

create trigger purchases_account_touched
after insert or delete or update on purchases
for each row
execute function touch_account();

create table promotion_codes (
  code text primary key,
  amount_nanos bigint not null,
  max_redemptions integer,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  constraint promotion_codes_amount_positive check (amount_nanos > 0),
  constraint promotion_codes_redemptions_positive check (max_redemptions > 0)
);

-- The primary key lets an account redeem a code once.
create table promotion_redemptions (
  code text not null references promotion_codes,
  account_id uuid not null references accounts,
  entry_id bigint not null references credit_ledger,
  redeemed_at timestamptz not null default now(),
  primary key (code, account_id)
);


-- AUDIT TRAIL

-- Who did what and when, and what was before and after, of operator commands and of create and edit.
--
-- Triggers write it, so it is in the transaction of the change itself, whatever statement made it. None fires for
-- a read or a push, because each waits for columns that those leave alone. It never holds a key, not even the
-- hash or the beginning of one.
create table audit_events (
  event_id bigint generated always as identity primary key,
  happened_at timestamptz not null default clock_timestamp(),
  -- "operator NAME" of the operating system, "key ID" of an API key, or else the database's own user.
  actor text not null,
  action text not null,
  -- Whom and what it is about.
  account_id uuid,
  feed_id uuid,
  -- The changed fields only; null if there was nothing.
  before json,
  after json
);

-- Lists the trail of an account or a feed.
create index audit_events_account on audit_events (account_id, event_id);
create index audit_events_feed on audit_events (feed_id, event_id);

-- Finds the events that are older than the trail is kept.
create index audit_events_happened_at on audit_events (happened_at);

-- Who acts: what the session or the statement has set.
create function audit_actor()
returns text
language sql
stable
as $$
  select coalesce(nullif(current_setting('feedgate.actor', true), ''), 'database ' || session_user)
$$;

-- The fields of a row that differ from the other row; null if the row is null. A key's id is always there, because
-- an event has no column for it. A long field is kept as its length, digest and beginning, so that an edit costs the
-- trail little.
create function audit_changes(shown json, other json, fields text[])
returns json
language sql
immutable
as $$
  select json_object_agg(
    name,
    case
      when coalesce(octet_length(field::text), 0) <= 1000 then field
      else json_build_object(
        'bytes', octet_length(field::text),
        'md5', md5(field::text),
        'begins', left(field::text, 200)
      )
    end
    order by place
  )
  from unnest(fields) with ordinality as asked (name, place)
  cross join lateral (select shown -> name as field) as kept
  where shown is not null
    and (name = 'key_id' or (shown ->> name) is distinct from (other ->> name))
$$;

-- Notes that a feed, an account or a key was made or edited.
create function note_audit()
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
      'one_time_price_cents', 'is_public', 'retention_days', 'suspension_reason', 'deleted_at'
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

create trigger feeds_audited_insert
after insert on feeds
for each row
execute function note_audit('feed');

-- A push leaves definition_version alone, and a new reliability score is nobody's act.
create trigger feeds_audited_update
after update of definition_version on feeds
for each row
when (
  old.definition_version <> new.definition_version
  and old.reliability_score is not distinct from new.reliability_score
)
execute function note_audit('feed');

create trigger accounts_audited_insert
after insert on accounts
for each row
execute function note_audit('account');

-- The balance is not among the columns, because every batch of reads changes it.
create trigger accounts_audited_update
after update of name, max_feeds_allowed, suspension_reason on accounts
for each row
when (
  (old.name, old.max_feeds_allowed, old.suspension_reason)
    is distinct from (new.name, new.max_feeds_allowed, new.suspension_reason)
)
execute function note_audit('account');

create trigger api_keys_audited_insert
after insert on api_keys
for each row
execute function note_audit('key');

create trigger api_keys_audited_update
after update of name, expires_at, revoked_at, daily_nanos, feed_ids on api_keys
for each row
when (
  (old.name, old.expires_at, old.revoked_at, old.daily_nanos, old.feed_ids)
    is distinct from (new.name, new.expires_at, new.revoked_at, new.daily_nanos, new.feed_ids)
)
execute function note_audit('key');

create function note_ledger_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(),
    case new.kind
      when 'grant' then 'credits grant'
      when 'revocation' then 'credits revoke'
      when 'promotion' then 'promo redeem'
      when 'purchase' then 'purchase record'
      when 'purchase_undo' then 'purchase undo'
      else 'usage refund'
    end,
    new.account_id,
    new.feed_id,
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

-- Carried-over charges are the gateway's own, and so are refunds that nobody has ordered.
create trigger credit_ledger_audited
after insert on credit_ledger
for each row
when (
  new.kind not in ('refund', 'charges')
  or new.kind = 'refund' and current_setting('feedgate.actor', true) <> ''
)
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


-- SHARED BY ALL GATEWAYS

-- What all processes must agree on, such as the cursor secret.
create table settings (
  name text primary key,
  value text not null
);

-- The progress of background jobs, which gateways run in turns.
create table maintenance_jobs (
  name text primary key,
  -- When the next pass begins; in the past while a pass is under way.
  due_at timestamptz not null default '-infinity',
  -- How far the pass under way has come; empty at its beginning.
  mark text not null default ''
);
