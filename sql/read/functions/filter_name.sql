-- The term under which the filter index has the name of a field: one entry a name, at position 0, which no row
-- has. Names are noted when rows are indexed, and stay when rows go.
create or replace function filter_name(name text)
returns integer
language sql
immutable
as $$
  select filter_term(name, '{}')
$$;
