-- Imports that run, one at a time and feed, and since when nothing has been heard of each.

-- import_id: of this run; what is left of an earlier one finds another here, and stops.
-- batch_number: the staged batch of a collection; null for a stream
-- renewed_at: an import whose process has died is not renewed, and gives way
create table imports (
  feed_id uuid primary key references feeds,
  import_id uuid not null,
  batch_number bigint,
  begun_at timestamptz not null default now(),
  renewed_at timestamptz not null
);
