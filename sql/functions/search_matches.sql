create or replace function search_matches(q text, wanted_category text)
returns table (feed_id uuid, place bigint)
language plpgsql
stable
set enable_seqscan = off
set jit = off
as $$
declare
  words_max constant integer := 64;
  postings_max constant bigint := 5000;
  listed bigint;
  plain text;
  required tsquery;
  typed_key text;
  category_query tsquery;
  field_weights constant real[] := '{0.2, 0.4, 0.6, 1.0}';
begin
  select parsed.plain, parsed.required
  into plain, required
  from parse_search(q) as parsed;
  typed_key := replace(plain, ' ', '');
  if typed_key = '' then
    return;
  end if;
  select coalesce(sum(catalog_blocks.feeds), 0)
  into listed
  from catalog_blocks;

  return query
  with raw_words as (
    select raws.position, raws.raw, stems.stem
    from (
      select position, lexeme as raw
      from unnest(to_tsvector('simple', plain)) as token, unnest(token.positions) as position
    ) as raws
    left join (
      select position, lexeme as stem
      from unnest(to_tsvector('english', plain)) as token, unnest(token.positions) as position
    ) as stems using (position)
    order by raws.position
    limit words_max
  ),
  words as (
    select
      min(position) as word,
      stem,
      (array_agg(raw order by position))[1] as raw,
      max(position) = (select max(position) from raw_words) as is_last
    from raw_words
    where stem is not null
    group by stem
  ),
  exact_alternatives as (
    select words.word, to_lexeme_query(known.word) as query, 1.0 as factor, known.feeds
    from words
    join search_words as known
      on known.word = words.stem or known.word = words.raw
  ),
  prefix_alternatives as (
    select words.word, to_lexeme_query(words.raw, true) as query, 0.5 as factor, known.feeds
    from words
    cross join lateral (
      select sum(search_words.feeds) as feeds
      from search_words
      where search_words.word > words.raw
        and search_words.word < words.raw || U&'\+10FFFF'
    ) as known
    where words.is_last
      and char_length(words.raw) >= 2
      and known.feeds > 0
  ),
  joined_alternatives as (
    select
      covered.word,
      to_lexeme_query(known.word) as query,
      1.0 as factor,
      known.feeds
    from (
      select raw || lead(raw) over (order by position) as joined, position as from_position, lead(position) over (order by position) as to_position
      from raw_words
      union
      select string_agg(raw, '' order by position), min(position), max(position)
      from raw_words
      having count(*) > 1
    ) as pairs
    join search_words as known
      on known.word = pairs.joined
    join raw_words as members
      on members.position between pairs.from_position and pairs.to_position
    join words as covered
      on covered.stem = members.stem
  ),
  unknown_words as (
    select word, raw, stem
    from words
    where word not in (
      select word from exact_alternatives
      union all
      select word from prefix_alternatives
      union all
      select word from joined_alternatives
    )
    order by word
    limit 4
  ),
  split_alternatives as (
    select unknown_words.word, to_lexeme_query(l.word) && to_lexeme_query(r.word) as query, 0.8 as factor, least(l.feeds, r.feeds) as feeds
    from unknown_words
    cross join lateral generate_series(3, char_length(raw) - 3) as cut
    join search_words as l on l.word = left(raw, cut)
    join search_words as r on r.word = substr(raw, cut + 1)
  ),
  close_alternatives as (
    select unknown_words.word, to_lexeme_query(close.word) as query, close.closeness * 0.8 as factor, close.feeds
    from unknown_words
    cross join lateral close_words(unknown_words.stem) as close
  ),
  alternatives as (
    select word, query, factor::float8 as factor, feeds::bigint as feeds from exact_alternatives
    union
    select word, query, factor, feeds from prefix_alternatives
    union
    select word, query, factor, feeds from joined_alternatives
    union
    select word, query, factor, feeds from split_alternatives
    union
    select word, query, factor, feeds from close_alternatives
  ),
  weighted as (
    select
      word,
      query,
      factor * ln(1 + (listed - least(feeds, listed) + 0.5) / (least(feeds, listed) + 0.5)) as worth,
      feeds,
      sum(feeds) over (order by feeds, word, query) as feeds_so_far,
      row_number() over (order by feeds, word, query) as rarity
    from alternatives
  ),
  word_worths as (
    select word, max(worth) as worth
    from weighted
    group by word
  ),
  total_worth as (
    select sum(worth) as worth, count(*) as words, (select count(*) from words) as asked
    from word_worths
  ),
  candidates as (
    select
      feeds.feed_id,
      weighted.word,
      weighted.worth,
      max(weighted.worth * ts_rank(field_weights, feeds.search, weighted.query) * 1.64493) as score
    from weighted
    cross join lateral (
      select feeds.feed_id, feeds.search
      from feeds
      where feeds.listed_at is not null
        and feeds.search @@ weighted.query
        and (required is null or feeds.search @@ required)
        and (wanted_category is null or lower(coalesce(feeds.category, 'uncategorized')) = lower(wanted_category))
    ) as feeds
    where weighted.feeds_so_far <= postings_max
      or weighted.rarity = 1
    group by feeds.feed_id, weighted.word, weighted.worth
  ),
  word_scores as (
    select
      candidates.feed_id,
      sum(candidates.score) as score,
      count(distinct candidates.word) as words,
      0::real as closeness
    from candidates
    group by candidates.feed_id
    union all
    select close.feed_id, 0, 0, close.closeness
    from close_names(typed_key, 50) as close
    join feeds using (feed_id)
    where char_length(typed_key) <= 80
      and (required is null or feeds.search @@ required)
      and (wanted_category is null or lower(coalesce(feeds.category, 'uncategorized')) = lower(wanted_category))
  ),
  scores as (
    select
      word_scores.feed_id,
      sum(word_scores.score) / coalesce(nullif((select worth from total_worth), 0), 1) as score,
      sum(word_scores.words)::float8 / greatest((select asked from total_worth), 1) as coverage,
      max(word_scores.closeness) as closeness
    from word_scores
    group by word_scores.feed_id
  )
  select
    scores.feed_id,
    row_number() over (
      order by
        (feeds.name_key = typed_key) desc,
        score * (0.3 + coverage) / (0.5 + 0.5 * length(feeds.search) / 20.0) + 1.5 * closeness ^ 2
        + case when feeds.search @@ (select string_agg('''#' || stem || '''', ' & ')::tsquery from words) then 1 else 0 end
        desc,
        scores.feed_id
    )
  from scores
  join feeds using (feed_id);
end
$$;
