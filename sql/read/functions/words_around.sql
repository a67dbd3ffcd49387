-- Known words that contain a part, such as "earthquak" for "quak", the shortest first, because the part is most of
-- them. If more than words_seen words contain the part, it is not specific, and none is returned.
create or replace function words_around(part text, words_max integer)
returns table (word text, feeds bigint)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  words_seen constant integer := 1000;
  chars_min constant integer := 4;
begin
  -- Without trigrams, all words would be read.
  if char_length(part) < chars_min or cardinality(close_steps(part)) = 0 then
    return;
  end if;
  return query
    select around.word, around.feeds
    from (
      select search_words.word, search_words.feeds, count(*) over () as words
      from (
        select search_words.word, search_words.feeds
        from search_words
        -- Words contain no wildcard characters of a pattern.
        where search_words.word like '%' || part || '%'
        limit words_seen + 1
      ) as search_words
    ) as around
    where around.words <= words_seen
    order by char_length(around.word), around.feeds desc, around.word
    limit words_max;
end
$$;
