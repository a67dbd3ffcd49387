-- The term for the name of a field in the filter index: one entry per name, at position 0, which no row has. Names are
-- added when rows are indexed, and stay when rows are removed.
create or replace function filter_name(name text)
returns integer
language sql
immutable
as $$
  select filter_term(name, '{}')
$$;
