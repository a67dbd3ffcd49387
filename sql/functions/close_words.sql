-- Known words that a mistyped one may have meant, closest first; none where pg_trgm is not there.
-- The threshold is that of close_names.
create or replace function close_words(wanted text, words_max integer)
returns table (word text, feeds bigint, closeness real)
language plpgsql
stable
set enable_seqscan = off
set pg_trgm.similarity_threshold = 0.3
as $$
declare
  trigrams_min constant integer := 3;
  trigrams constant double precision := char_length(wanted) + 1;
  threshold constant double precision := least(
    greatest((trigrams - 4) / (trigrams + 4), 0.3), 0.6
  );
begin
  if to_regproc('similarity') is null then
    return;
  end if;
  -- A script of which pg_trgm makes no trigrams would have the whole index read.
  if cardinality(show_trgm(wanted)) < trigrams_min then
    return;
  end if;
  perform set_config('pg_trgm.similarity_threshold', threshold::text, true);
  return query
    select search_words.word, search_words.feeds, similarity(search_words.word, wanted) as closeness
    from search_words
    where search_words.word % wanted
    order by closeness desc, search_words.feeds desc, search_words.word
    limit words_max;
end
$$;
