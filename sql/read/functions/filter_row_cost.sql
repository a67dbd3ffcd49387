-- The cost of examining a row, in addition to the bytes of its payload, in bytes that could be read instead. Filters
-- and their index limit their work by it.
create or replace function filter_row_cost()
returns bigint
language sql
immutable
parallel safe
as $$
  select 200::bigint
$$;
