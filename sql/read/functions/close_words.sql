-- Known words that a mistyped one may have meant, closest first. Less close words are searched only if fewer than
-- words_max are found (`close_steps`).
create or replace function close_words(wanted text, words_max integer)
returns table (word text, feeds bigint, closeness real)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  step double precision;
  step_before double precision := 2;
  found_now integer;
  found_all integer := 0;
begin
  foreach step in array close_steps(wanted) loop
    -- Until the end of the statement. A clause of the function would require that the library of pg_trgm is loaded when
    -- the function is created, or a superuser.
    perform set_config('pg_trgm.similarity_threshold', step::text, true);
    return query
      select search_words.word, search_words.feeds, similarity(search_words.word, wanted) as closeness
      from search_words
      where search_words.word % wanted
        and similarity(search_words.word, wanted) < step_before
      order by closeness desc, search_words.feeds desc, search_words.word
      limit words_max - found_all;
    get diagnostics found_now = row_count;
    found_all := found_all + found_now;
    exit when found_all >= words_max;
    step_before := step;
  end loop;
end
$$;
