-- Known words that a mistyped one may have meant, closest first; none where pg_trgm is not there.
create or replace function close_words(wanted text, words_max integer)
returns table (word text, feeds bigint, closeness real)
language plpgsql
stable
set pg_trgm.similarity_threshold = 0.3
as $$
begin
  if to_regproc('similarity') is null then
    return;
  end if;
  return query
    select search_words.word, search_words.feeds, similarity(search_words.word, wanted) as closeness
    from search_words
    where search_words.word % wanted
    order by closeness desc, search_words.feeds desc, search_words.word
    limit words_max;
end
$$;
