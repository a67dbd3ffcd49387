-- Whether a row meets every `eq` filter. A string field matches by its text, a number by value, booleans and null by
-- kind. A missing field, an object, or an array never matches.
--
-- Only the requested fields are converted to jsonb, because a row may have thousands of others.
--
-- names, texts, literals: parallel arrays; a literal is the text as a JSON number, boolean, or null, or null if the
--   text is none of these
create or replace function row_matches(payload json, names text[], texts text[], literals jsonb[])
returns boolean
language plpgsql
immutable
-- Called last, for rows that have passed every other condition.
cost 10000
as $$
declare
  field json;
  kind text;
begin
  for place in 1 .. cardinality(names) loop
    field := payload -> names[place];
    kind := json_typeof(field);
    if kind = 'string' then
      if (field #>> '{}' = texts[place]) is not true then
        return false;
      end if;
    elsif kind in ('number', 'boolean', 'null') then
      if (payload_jsonb(field) = literals[place]) is not true then
        return false;
      end if;
    else
      -- An object, an array, or no such field.
      return false;
    end if;
  end loop;
  return true;
end
$$;
