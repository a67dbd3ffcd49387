-- Of several filters the one to look up: that with the fewest entries, counted to 1,000 at most.
--
-- terms: what its rows are indexed by, the term 0 of rows with very many fields among them
-- alternatives: a row that meets it contains one of these
create or replace function rarest_filter(
  index_id integer,
  names text[],
  texts text[],
  literals jsonb[],
  out terms integer[],
  out alternatives jsonb[]
)
language sql
stable
as $$
  select filters.terms, filters.alternatives
  from (
    select
      asked.place,
      array[
        0, filter_term(asked.name, to_jsonb(asked.text)), filter_term(asked.name, asked.literal)
      ] as terms,
      array_remove(array[
        case when asked.text is not null then jsonb_build_object(asked.name, asked.text) end,
        case when asked.literal is not null then jsonb_build_object(asked.name, asked.literal) end
      ], null) as alternatives
    from unnest(names, texts, literals) with ordinality as asked (name, text, literal, place)
  ) as filters
  order by
    case when cardinality(names) > 1 then (
      select count(*)
      from unnest(filters.terms) as wanted (term)
      cross join lateral (
        select
        from filter_terms
        where filter_terms.filter_index_id = index_id
          and filter_terms.term = wanted.term
        limit 1000
      ) as entries
    ) end,
    filters.place
  limit 1
$$;
