-- Known words that end with a stop word, such as "thewho" and "doctorwho" for "who". A stop word is no word of a
-- feed, but names hold it joined with the word before it (`search_joined`), which must be known, or a stop word, too.
-- If more than words_seen words end so, it says nothing, and none of them is given.
create or replace function words_ending(ending text, words_max integer)
returns table (word text, feeds bigint)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  words_seen constant integer := 1000;
begin
  -- Without trigrams all words would be read.
  if cardinality(close_steps(ending)) = 0 then
    return;
  end if;
  return query
    select found.word, found.feeds
    from (
      select search_words.word, search_words.feeds, count(*) over () as words
      from (
        select search_words.word, search_words.feeds
        from search_words
        -- Words hold no character that a pattern takes for another.
        where search_words.word like '%_' || ending
        limit words_seen + 1
      ) as search_words
    ) as found
    cross join lateral (
      select tsvector_to_array(
        to_tsvector('english', left(found.word, -char_length(ending)))
      ) as stems
    ) as before
    where found.words <= words_seen
      and (
        cardinality(before.stems) = 0
        or exists (
          select
          from search_words
          where search_words.word = any (before.stems)
        )
      )
    order by found.feeds desc, found.word
    limit words_max;
end
$$;
