-- The term of the entry that says how far the filter index has all names: those of rows up to position p are there
-- if it stands at -p - 1, where neither rows nor names have entries. An index that was begun by a version that noted
-- no names lacks it, and one that such a version went on with has it elsewhere.
create or replace function filter_names_mark()
returns integer
language sql
immutable
as $$
  select filter_term('', '[]')
$$;
