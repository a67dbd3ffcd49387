-- The term of the entry that records up to where the filter index has all names: if the entry is at -p - 1, the names
-- of rows up to position p are there. Neither rows nor names have entries at negative positions. An index started by a
-- version that recorded no names lacks this entry, and one continued by such a version has it elsewhere.
create or replace function filter_names_mark()
returns integer
language sql
immutable
as $$
  select filter_term('', '[]')
$$;
