-- The words of a query, each with the ways in which feeds may hold it, and what each way is worth.
--
-- A word is sought as its stem, as it was typed, joined with its neighbours and, the last one, as the
-- beginning of longer words. One that no feed holds is sought in two parts and as the closest known
-- words. Worth is the inverse document frequency (how rare a word is), less where a word was guessed.
--
-- One row an alternative, the rarest words first. Beyond five words, unknown ones are not guessed at:
-- the others are enough to find by.
create or replace function weigh_search(
  plain text,
  feeds_listed bigint,
  words_max integer,
  -- A word that stands in more feeds is not also sought as the beginning of others.
  plenty bigint
)
returns table (
  word integer,
  query tsquery,
  rank_query tsquery,
  -- Null where the word was completed or guessed.
  lexeme text,
  worth double precision,
  feeds bigint,
  -- Of this word and all that are rarer.
  feeds_so_far bigint,
  rarity bigint,
  words_asked bigint,
  stem text,
  is_last boolean
)
language plpgsql
stable
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with tokens as (
    select position, lexeme as raw
    from unnest(to_tsvector('simple', plain)) as token
    cross join lateral unnest(token.positions) as position
    order by position
    limit words_max
  ),
  stems as (
    select position, lexeme as stem
    from unnest(to_tsvector('english', plain)) as token
    cross join lateral unnest(token.positions) as position
  ),
  -- Stop words are not sought, but the last of a query that has nothing else: it may be a word cut short.
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
    -- Stop words alone, such as a name "The Who", count as one word.
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
        when found.words <= 64 then found.query::tsquery
        else to_lexeme_query(asked_words.raw, true) && !!to_lexeme_query(asked_words.raw)
      end as query,
      to_lexeme_query(asked_words.raw, true) as rank_query,
      found.feeds
    from asked_words
    cross join lateral (
      select
        sum(search_words.feeds) as feeds,
        count(*) as words,
        string_agg('''' || search_words.word || '''', ' | ') as query
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
          and whole.feeds > plenty
      )
  ),
  unknown as materialized (
    select asked_words.word, asked_words.raw
    from asked_words
    where asked_words.word not in (
      select whole.word
      from whole
      union all
      select begun.word
      from begun
    )
      and (select count(*) from asked_words) <= 5
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
  alternatives as (
    select
      whole.word,
      to_lexeme_query(whole.lexeme) as query,
      to_lexeme_query(whole.lexeme) as rank_query,
      whole.lexeme,
      1.0::double precision as certainty,
      whole.feeds
    from whole
    union all
    select begun.word, begun.query, begun.rank_query, null, 0.3, begun.feeds
    from begun
    union all
    select halves.word, halves.query, halves.query, null, 0.8, halves.feeds
    from halves
    union all
    select
      unknown.word,
      to_lexeme_query(close.word),
      to_lexeme_query(close.word),
      null,
      close.closeness * 0.8,
      close.feeds
    from unknown
    cross join lateral close_words(unknown.raw, 3) as close
  ),
  sizes as (
    select alternatives.word, sum(alternatives.feeds) as feeds
    from alternatives
    group by alternatives.word
  ),
  rarest_first as (
    select
      sizes.word,
      sum(sizes.feeds) over in_order as feeds_so_far,
      row_number() over in_order as rarity
    from sizes
    window in_order as (order by sizes.feeds, sizes.word rows unbounded preceding)
  )
  select
    alternatives.word,
    alternatives.query,
    alternatives.rank_query,
    alternatives.lexeme,
    alternatives.certainty * ln(
      1 + (feeds_listed - least(alternatives.feeds, feeds_listed) + 0.5)
      / (least(alternatives.feeds, feeds_listed) + 0.5)
    ),
    alternatives.feeds::bigint,
    rarest_first.feeds_so_far::bigint,
    rarest_first.rarity,
    (select greatest(count(*), 1) from asked_words),
    asked_words.stem,
    asked_words.is_last
  from alternatives
  join rarest_first
    on rarest_first.word = alternatives.word
  left join asked_words
    on asked_words.word = alternatives.word
  order by rarest_first.rarity, alternatives.feeds, alternatives.query::text;
end
$$;
