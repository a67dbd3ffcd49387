-- What it costs to look at a row, beside the bytes of its payload, in bytes that could be read instead. Filters and
-- their index bound their work by it.
create or replace function filter_row_cost()
returns bigint
language sql
immutable
parallel safe
as $$
  select 200::bigint
$$;
