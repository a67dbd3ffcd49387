-- Exports of a day: they are counted in the limit of an account and feed, and a broken one goes on in its version.

-- data_version: the feed's, which the export shows
-- batch_number: the batch that readers saw then; 0 for a stream
-- last_position: rows behind it came later
create table exports (
  export_id uuid primary key,
  account_id uuid not null references accounts,
  feed_id uuid not null references feeds,
  data_version bigint not null,
  batch_number bigint not null,
  last_position bigint not null,
  happened_at timestamptz not null default now()
);

-- Counts the exports of an hour.
create index exports_account on exports (account_id, feed_id, happened_at);

-- Finds the rows of a version.
create index exports_version on exports (feed_id, data_version);

-- Finds those that are a day old.
create index exports_happened_at on exports (happened_at);

-- changed_version: the feed's data version before rows of the batch were last replaced or removed; null: none was. Rows
-- that were added since change no earlier version, because their positions are behind it.
alter table row_totals
  add column changed_version bigint;
