-- What background work needs: whose turn it is, how far it has come, and how to find what is due.

create table maintenance_jobs (
  name text primary key,
  -- When the next pass begins; in the past while one is under way.
  due_at timestamptz not null default '-infinity',
  -- How far the pass under way has come; empty at its beginning.
  mark text not null default ''
);

-- Null while rows of the batch may be left. A batch that has a name stays, so that it is known to be
-- closed; one without goes with its rows.
alter table batches add column emptied_at timestamptz;

create index batches_to_empty on batches (retired_at)
where status = 'retired' and emptied_at is null;

create index batches_open on batches (begun_at)
where status = 'open';
