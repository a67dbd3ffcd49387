-- Parses a search: the words to look for, and what a feed must or must not contain.
--
-- "a phrase" must occur exactly. -word and -"a phrase" must not occur at all. A quote that is not closed and a hyphen
-- inside a word are plain text, so no query is invalid.
create or replace function parse_search(
  q text,
  out plain text,
  out condition tsquery
)
language plpgsql
immutable
strict
parallel safe
as $$
begin
  -- Few queries contain either, and splitting a query costs as much as searching.
  if q !~ '["“”„]|(^|\s)-' then
    plain := search_plain(q);
    return;
  end if;
  with pieces as (
    select
      coalesce(piece[1] = '-', piece[3] ~ '^-[^-]') as is_excluded,
      piece[2] is not null as is_phrase,
      search_plain(coalesce(piece[2], piece[3])) as words,
      place
    from regexp_matches(
      translate(q, '“”„', '"""'), '(?:(-?)"([^"]+)"|(\S+))', 'g'
    ) with ordinality as matches (piece, place)
  )
  select
    coalesce(string_agg(words, ' ' order by place) filter (where not is_excluded), ''),
    (
      string_agg(case when is_excluded then '!' else '' end || '(' || query::text || ')', ' & ')
      filter (where (is_excluded or is_phrase) and numnode(query) > 0)
    )::tsquery
  into plain, condition
  from pieces
  cross join lateral phraseto_tsquery('english', words) as query;
end
$$;
