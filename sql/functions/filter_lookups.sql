-- What filters are looked up and compared by.
--
-- terms: three of each filter, that its rows are indexed by: 0 (rows with very many fields), its text,
-- its literal; null where it has none
-- alternatives: two of each filter, of which a row that meets it contains one; null where it has none
create or replace function filter_lookups(
  names text[],
  texts text[],
  literals jsonb[],
  out terms integer[],
  out alternatives jsonb[]
)
language sql
immutable
as $$
  select
    array_agg(
      array[
        0, filter_term(asked.name, to_jsonb(asked.text)), filter_term(asked.name, asked.literal)
      ]
      order by asked.place
    ),
    array_agg(
      array[
        case when asked.text is not null then jsonb_build_object(asked.name, asked.text) end,
        case when asked.literal is not null then jsonb_build_object(asked.name, asked.literal) end
      ]
      order by asked.place
    )
  from unnest(names, texts, literals) with ordinality as asked (name, text, literal, place)
$$;
