-- The index that `eq` filters are answered from: one entry a row and top-level field, made in the
-- background for what is too large to be looked through (`src/feed/filter_index.ts`).
--
-- Kept apart from the rows, since a push would pay for it otherwise, filtered feed or not. Entries of
-- one value lie in the order of a page, so the first twenty of 50,000 matches cost as much as of one.

create table filter_indexes (
  filter_index_id integer generated always as identity primary key,
  feed_id uuid not null,
  -- Zero for a stream.
  batch_number bigint not null,
  -- Rows up to this position are in; those after it are looked through.
  indexed_position bigint not null default 0,
  constraint filter_indexes_batch_unique unique (feed_id, batch_number)
);

-- A term is a field and its value, hashed: rows that are found by it are compared again.
create table filter_terms (
  filter_index_id integer not null,
  term integer not null,
  -- -infinity for a collection, whose order is its positions'.
  event_at timestamptz not null,
  position bigint not null,
  primary key (filter_index_id, term, event_at, position)
);

-- Finds the rows of a stream that arrived after its index was brought up to date.
create index stream_events_position on stream_events (feed_id, position);
