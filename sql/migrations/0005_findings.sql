-- What background jobs have found out, for the metrics of all gateways.

create table findings (
  -- The job.
  name text primary key,
  -- How many there are of what it looks for, such as ledgers that don't add up.
  amount bigint not null,
  -- Since when the oldest of them is so; null where that is not known, or there are none.
  since timestamptz,
  -- Which ones, as far as an operator needs them.
  detail text not null default '',
  found_at timestamptz not null
);
