-- Known words that end with a stop word, such as "thewho" and "doctorwho" for "who". A stop word is not indexed as a
-- word, but names contain it joined with the previous word (`search_joined`), which must be known, or also a stop word.
-- If more than words_seen words end with it, it is not specific, and none is returned.
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
  -- Without trigrams, all words would be read.
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
        -- Words contain no wildcard characters of a pattern.
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
