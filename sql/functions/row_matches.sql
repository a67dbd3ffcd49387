-- Whether a row meets every `eq` filter. Decisions 6: a string field matches by its text, a number by
-- value, booleans and null by kind; a missing field, an object or an array never matches.
--
-- names, texts, literals: parallel arrays; a literal is the text as a JSON number, boolean or null,
-- or null where it is none.
create or replace function row_matches(payload json, names text[], texts text[], literals jsonb[])
returns boolean
language sql
immutable
-- Asked last, of what has passed every other condition.
cost 10000
as $$
  select coalesce(bool_and(coalesce(
    case jsonb_typeof(fields.value)
      when 'string' then fields.value #>> '{}' = filters.text
      when 'object' then false
      when 'array' then false
      else fields.value = filters.literal
    end,
    false
  )), true)
  from unnest(names, texts, literals) as filters (name, text, literal)
  cross join lateral (select payload_jsonb(payload) -> filters.name) as fields (value)
$$;
