-- The words of a query, each with the alternatives by which feeds may contain it, and the worth of each alternative.
--
-- A word is searched as its stem, as it was typed, joined with its neighbors, and, for the last word, as the beginning
-- of longer words. In a query of only stop words, the last is searched at the end of names. A word that no feed
-- contains is searched in two parts, as a part of known words, and as the closest known words. Worth is the inverse
-- document frequency (how rare a word is), reduced if a word was guessed. With more than five words, unknown ones are
-- not guessed, because the others are sufficient.
--
-- If the words with this beginning occur in more than postings_max feeds, the beginning says little about any of them.
-- If other words are known, it only adds to their score. If not, it is searched only in names.
--
-- Returns the alternatives as arrays, those of the rarest words first. The first found_by of them occur in at most
-- postings_max feeds together. is_broad: there are words, but even the rarest occurs in more.
create or replace function weigh_search(
  plain text,
  feeds_listed bigint,
  words_max integer,
  postings_max bigint,
  -- The word of the query, by its position.
  out numbers integer[],
  -- Null if feeds can't be found by this alternative.
  out queries tsquery[],
  out rank_queries tsquery[],
  out worths double precision[],
  out found_by integer,
  out is_broad boolean,
  -- Whether a feed may have the query as its name.
  out is_named boolean,
  out words_asked integer,
  -- Of the best alternatives of all words together.
  out worth_max double precision,
  -- Feeds that contain every word. Null if feeds can't be found by one of the words.
  out all_query tsquery,
  -- Feeds with every word in their name, and feeds with every word in their category.
  out name_query tsquery,
  out category_query tsquery,
  out rarest_query tsquery,
  -- For the rarest word, the part that occurs in most feeds. Null if their number is not exact.
  out largest_query tsquery,
  out largest_feeds bigint
)
language plpgsql
stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- A lexeme has at most 2,046, including its mark.
  word_bytes_max constant integer := 2000;
  guessed_words_max constant integer := 5;
  close_words_max constant integer := 3;
  words_around_max constant integer := 5;
  words_ending_max constant integer := 20;
  part_chars_min constant integer := 4;
begin
  with tokens as (
    select position, lexeme as raw
    from unnest(to_tsvector('simple', plain)) as token
    cross join lateral unnest(token.positions) as position
    where octet_length(lexeme) <= word_bytes_max
    order by position
    limit words_max
  ),
  stems as (
    select position, lexeme as stem
    from unnest(to_tsvector('english', plain)) as token
    cross join lateral unnest(token.positions) as position
    where octet_length(lexeme) <= word_bytes_max
  ),
  -- Stop words are not searched, except for the last one of a query that has no other words, because it may be an
  -- incomplete word.
  raw_words as materialized (
    select
      tokens.position,
      tokens.raw,
      case
        when exists (select from stems) then stems.stem
        when tokens.position = (select max(position) from tokens) then tokens.raw
      end as stem
    from tokens
    left join stems
      on stems.position = tokens.position
  ),
  asked_words as materialized (
    select
      min(position)::integer as word,
      raw_words.stem,
      (array_agg(raw order by position desc))[1] as raw,
      max(position) = (select max(position) from raw_words) as is_last
    from raw_words
    where raw_words.stem is not null
    group by raw_words.stem
  ),
  pairs as (
    select
      raw || lead(raw) over in_order as joined,
      position as from_position,
      lead(position) over in_order as to_position
    from raw_words
    window in_order as (order by position)
    union
    select string_agg(raw, '' order by position), min(position), max(position)
    from raw_words
    having count(*) between 1 and 20
  ),
  sought as (
    select asked_words.word, asked_words.stem as lexeme
    from asked_words
    union
    select asked_words.word, asked_words.raw
    from asked_words
    union
    -- A name of only stop words, such as "The Who", counts as one word.
    select coalesce(asked_words.word, 0), pairs.joined
    from pairs
    join raw_words
      on raw_words.position between pairs.from_position and pairs.to_position
    left join asked_words
      on asked_words.stem = raw_words.stem
    where pairs.joined is not null
      and (asked_words.word is not null or not exists (select from asked_words))
  ),
  whole as materialized (
    select sought.word, sought.lexeme, found.feeds
    from sought
    cross join lateral (
      select search_words.feeds
      from search_words
      where search_words.word = sought.lexeme
      offset 0
    ) as found
  ),
  begun as materialized (
    select
      asked_words.word,
      case
        when found.feeds > postings_max then
          case
            when not exists (select from whole where whole.word <> asked_words.word)
              then to_lexeme_query('@' || asked_words.raw, true)
          end
        else to_lexeme_query(asked_words.raw, true) && !!to_lexeme_query(asked_words.raw)
      end as query,
      to_lexeme_query(asked_words.raw, true) as rank_query,
      found.feeds
    from asked_words
    cross join lateral (
      select sum(search_words.feeds) as feeds
      from search_words
      where search_words.word > asked_words.raw
        and search_words.word < asked_words.raw || U&'\+10FFFF'
      offset 0
    ) as found
    where asked_words.is_last
      and char_length(asked_words.raw) >= 2
      and found.feeds > 0
      and not exists (
        select
        from whole
        where whole.word = asked_words.word
          and whole.feeds > postings_max
      )
  ),
  -- A stop word occurs only in names, joined with the previous word.
  ending as materialized (
    select
      asked_words.word,
      (to_lexeme_query(found.word)::text || ':A')::tsquery
      && !!to_lexeme_query('@' || found.word) as query,
      to_lexeme_query(found.word) as rank_query,
      found.feeds
    from asked_words
    cross join lateral words_ending(asked_words.raw, words_ending_max) as found
    where not exists (select from stems)
  ),
  unknown as materialized (
    select
      asked_words.word,
      asked_words.raw,
      case when char_length(asked_words.stem) >= part_chars_min then asked_words.stem
        else asked_words.raw end as part
    from asked_words
    where asked_words.word not in (
      select whole.word
      from whole
      union all
      select begun.word
      from begun
      union all
      select ending.word
      from ending
    )
      and (select count(*) from asked_words) <= guessed_words_max
  ),
  halves as (
    select
      unknown.word,
      to_lexeme_query(first.word) && to_lexeme_query(second.word) as query,
      least(first.feeds, second.feeds) as feeds
    from unknown
    cross join lateral generate_series(3, char_length(unknown.raw) - 3) as cut
    cross join lateral (
      select search_words.word, search_words.feeds
      from search_words
      where search_words.word = left(unknown.raw, cut)
      offset 0
    ) as first
    cross join lateral (
      select search_words.word, search_words.feeds
      from search_words
      where search_words.word = substr(unknown.raw, cut + 1)
      offset 0
    ) as second
  ),
  -- Counted: feeds is exact, not an upper bound.
  alternatives as materialized (
    select
      whole.word,
      to_lexeme_query(whole.lexeme) as query,
      to_lexeme_query(whole.lexeme) as rank_query,
      1.0::double precision as certainty,
      whole.feeds,
      true as is_counted,
      whole.lexeme = replace(plain, ' ', '') as is_name
    from whole
    union all
    select begun.word, begun.query, begun.rank_query, 0.3, begun.feeds, false, false
    from begun
    union all
    select halves.word, halves.query, halves.query, 0.8, halves.feeds, false, false
    from halves
    union all
    select ending.word, ending.query, ending.rank_query, 0.8, ending.feeds, false, false
    from ending
    union all
    select
      unknown.word,
      to_lexeme_query(close.word),
      to_lexeme_query(close.word),
      close.closeness * 0.8,
      close.feeds,
      true,
      false
    from unknown
    cross join lateral close_words(unknown.raw, close_words_max) as close
    union all
    select
      unknown.word,
      to_lexeme_query(around.word),
      to_lexeme_query(around.word),
      -- The larger its part of the word, the more certain it is.
      0.8::double precision * char_length(unknown.part) / char_length(around.word),
      around.feeds,
      true,
      false
    from unknown
    cross join lateral words_around(unknown.part, words_around_max) as around
  ),
  weighed as (
    select
      alternatives.*,
      alternatives.certainty * ln(
        1 + (feeds_listed - least(alternatives.feeds, feeds_listed) + 0.5)::double precision
        / (least(alternatives.feeds, feeds_listed) + 0.5)::double precision
      ) as worth
    from alternatives
  ),
  by_word as (
    select
      weighed.word,
      max(weighed.worth) as worth,
      bool_and(weighed.query is not null) as is_sought,
      sum(weighed.feeds) as feeds,
      string_agg('(' || weighed.query::text || ')', ' | ') as query,
      (
        array_agg(weighed.query order by weighed.feeds desc, weighed.query::text)
        filter (where weighed.is_counted)
      )[1] as largest_query,
      max(weighed.feeds) filter (where weighed.is_counted) as largest_feeds
    from weighed
    group by weighed.word
  ),
  rarest_first as materialized (
    select
      by_word.*,
      row_number() over in_order as rarity,
      sum(by_word.feeds) over in_order as feeds_so_far
    from by_word
    window in_order as (
      order by by_word.is_sought desc, by_word.feeds, by_word.word rows unbounded preceding
    )
  ),
  listed as (
    select
      weighed.word,
      weighed.query,
      weighed.rank_query,
      weighed.worth,
      weighed.is_name,
      rarest_first.is_sought and rarest_first.feeds_so_far <= postings_max as is_found_by
    from weighed
    join rarest_first
      on rarest_first.word = weighed.word
    order by rarest_first.rarity, weighed.feeds, weighed.rank_query::text
  ),
  lists as (
    select
      array_agg(listed.word) as numbers,
      array_agg(listed.query) as queries,
      array_agg(listed.rank_query) as rank_queries,
      array_agg(listed.worth) as worths,
      count(*) filter (where listed.is_found_by) as found_by,
      bool_or(listed.is_name) as is_named
    from listed
  ),
  words as (
    select
      sum(rarest_first.worth) as worth,
      case
        when bool_and(rarest_first.is_sought)
          then string_agg('(' || rarest_first.query || ')', ' & ')::tsquery
      end as all_query,
      max(rarest_first.query) filter (where rarest_first.rarity = 1 and rarest_first.is_sought) as rarest_query,
      max(rarest_first.largest_query::text) filter (where rarest_first.rarity = 1) as largest_query,
      max(rarest_first.largest_feeds) filter (where rarest_first.rarity = 1) as largest_feeds,
      string_agg(
        to_lexeme_query('@' || asked_words.stem, asked_words.is_last)::text, ' & '
      )::tsquery as name_query,
      string_agg(to_lexeme_query('#' || asked_words.stem)::text, ' & ')::tsquery as category_query
    from rarest_first
    left join asked_words
      on asked_words.word = rarest_first.word
  )
  select
    coalesce(lists.numbers, '{}'),
    coalesce(lists.queries, '{}'),
    coalesce(lists.rank_queries, '{}'),
    coalesce(lists.worths, '{}'),
    lists.found_by,
    lists.found_by = 0 and words.rarest_query is not null,
    coalesce(lists.is_named, false),
    (select greatest(count(*), 1) from asked_words),
    coalesce(nullif(words.worth, 0), 1),
    words.all_query,
    words.name_query,
    words.category_query,
    words.rarest_query::tsquery,
    words.largest_query::tsquery,
    words.largest_feeds
  into
    numbers, queries, rank_queries, worths, found_by, is_broad, is_named, words_asked, worth_max,
    all_query, name_query, category_query, rarest_query, largest_query, largest_feeds
  from lists
  cross join words;
end
$$;
