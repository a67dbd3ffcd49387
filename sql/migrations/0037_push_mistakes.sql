-- The rows of a feed's last refused push, so that its provider sees what to correct after the answer is gone.

create table push_mistakes (
  feed_id uuid primary key references feeds,
  -- As in the history of pushes, by which the entry is found.
  detail text not null,
  -- An array of the first mistakes: path, message, and the row's id and index, or its line.
  mistakes json not null,
  -- Of all mistakes.
  mistake_count integer not null,
  refused_at timestamptz not null
);
