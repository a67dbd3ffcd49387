-- The terms by which the filter index is searched. Each filter has two: one for its text, and one for its literal,
-- which is null if it has none.
create or replace function filter_lookups(names text[], texts text[], literals jsonb[])
returns integer[]
language sql
immutable
as $$
  select array_agg(
    array[filter_term(asked.name, to_jsonb(asked.text)), filter_term(asked.name, asked.literal)]
    order by asked.place
  )
  from unnest(names, texts, literals) with ordinality as asked (name, text, literal, place)
$$;
