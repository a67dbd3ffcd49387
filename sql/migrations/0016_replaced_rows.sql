-- The filter index has every field of a row, and no push writes it.

-- Rows that were replaced since they were indexed, as they were then. A filtered read looks through them,
-- and the index takes them in behind the push.
create table replaced_rows (
  filter_index_id integer not null,
  position bigint not null,
  payload json not null,
  primary key (filter_index_id, position)
);

create or replace function row_terms(payload json)
returns setof integer
language sql
immutable
rows 10
as $$
  select distinct filter_term(key, value)
  from jsonb_each(payload_jsonb(payload))
  where jsonb_typeof(value) not in ('object', 'array')
$$;

-- Notes what is replaced. The first replacement counts: it replaces what is indexed.
create or replace function index_changed_rows()
returns trigger
language plpgsql
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_mergejoin = off
as $$
begin
  insert into replaced_rows (filter_index_id, position, payload)
  select filter_indexes.filter_index_id, rows_before.position, rows_before.payload
  from rows_before
  join filter_indexes
    on filter_indexes.feed_id = rows_before.feed_id
    and filter_indexes.batch_number = rows_before.batch_number
    and filter_indexes.indexed_position >= rows_before.position
  on conflict do nothing;
  return null;
end
$$;

-- Rows of many fields had one entry before.
truncate filter_terms, filter_indexes;
