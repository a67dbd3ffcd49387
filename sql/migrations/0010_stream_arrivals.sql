-- The times of what was pushed to a stream since its filter index was brought up to date, a row a push: by
-- them and their positions, the rows that the index lacks are found by their key.
--
-- An index of the rows by position served for that before, and took 15 % of every push. What has no row
-- here (it was pushed before this migration, or by a gateway of a version before it) is found by looking
-- at every key of the stream, until the filter index is next brought up to date.
create table stream_arrivals (
  feed_id uuid not null,
  first_position bigint not null,
  last_position bigint not null,
  -- The time of the rows that came without one.
  received_at timestamptz not null,
  -- A time for each position from the first to the last; that of a duplicate is no row's.
  event_times timestamptz[] not null,
  primary key (feed_id, last_position)
);

drop index stream_events_position;
