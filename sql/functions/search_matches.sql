-- The feeds that a query finds: one page of them, best first, each with its place and the exact total.
--
-- A feed's score is the share of the query's worth that it holds: of each word the inverse document
-- frequency, times the weight of the field that holds it, less in a long text. To that comes how much
-- of the query it covers (all words, then most, then some), how close its name is to what was typed,
-- and whether the query names its category.
--
-- Work is bounded, however common the words: feeds are found by the query's rarest words, as many as
-- stand in postings_max feeds together; the more common ones then only add to the score. Where already
-- the rarest stands in more feeds than that, rank_broad_search answers.
create or replace function search_matches(
  q text,
  wanted_category text,
  rows_max integer,
  rows_skipped integer
)
returns table (feed_id uuid, place bigint, total bigint)
language plpgsql
stable
set enable_seqscan = off
set jit = off
as $$
declare
  words_max constant integer := 64;
  postings_max constant bigint := 2000;
  rescored_max constant integer := 200;
  category_chars_max constant integer := 100;
  close_names_max constant integer := 50;
  close_key_max constant integer := 40;
  -- ts_rank divides by it: the limit of the sum of 1/n².
  rank_scale constant double precision := 1.64493;
  -- Of readme, schema property names, description and category, name.
  field_weights constant real[] := '{0.2, 0.4, 0.8, 1.0}';
  parsed record;
  typed_key text;
  condition tsquery;
  category_mark tsquery;
  feeds_listed bigint;
  numbers integer[];
  queries tsquery[];
  rank_queries tsquery[];
  worths double precision[];
  worth_max double precision;
  found_by integer;
  words_asked bigint;
  all_query tsquery;
  name_query tsquery;
  category_query tsquery;
  rarest_query tsquery;
  largest_query tsquery;
  largest_feeds bigint;
  is_broad boolean;
  is_named boolean;
begin
  select asked.plain, asked.condition
  into parsed
  from parse_search(q) as asked;
  typed_key := replace(parsed.plain, ' ', '');
  if typed_key = '' then
    return;
  end if;
  condition := parsed.condition;
  -- No category is longer, and a word of more than 2 KB would be an error.
  if char_length(wanted_category) > category_chars_max then
    return;
  end if;
  if wanted_category is not null then
    category_mark := to_lexeme_query('=' || lower(wanted_category));
    condition := coalesce(condition && category_mark, category_mark);
  end if;
  select coalesce(sum(catalog_blocks.feeds), 0)
  into feeds_listed
  from catalog_blocks;

  with alternatives as materialized (
    select *
    from weigh_search(parsed.plain, feeds_listed, words_max, postings_max)
  ),
  by_word as (
    select
      alternatives.word,
      alternatives.stem,
      alternatives.is_last,
      alternatives.rarity,
      max(alternatives.worth) as worth,
      max(alternatives.feeds) filter (where alternatives.lexeme is not null) as largest_feeds,
      (
        array_agg(alternatives.query order by alternatives.feeds desc)
          filter (where alternatives.lexeme is not null)
      )[1] as largest_query,
      string_agg('(' || alternatives.query::text || ')', ' | ') as query
    from alternatives
    group by alternatives.word, alternatives.stem, alternatives.is_last, alternatives.rarity
  ),
  whole as (
    select
      sum(by_word.worth) as worth,
      string_agg('(' || by_word.query || ')', ' & ')::tsquery as all_query,
      string_agg(to_lexeme_query('@' || by_word.stem, by_word.is_last)::text, ' & ')::tsquery
        as name_query,
      string_agg(to_lexeme_query('#' || by_word.stem)::text, ' & ')::tsquery as category_query,
      max(by_word.query) filter (where by_word.rarity = 1) as rarest_query,
      max(by_word.largest_query::text) filter (where by_word.rarity = 1) as largest_query,
      max(by_word.largest_feeds) filter (where by_word.rarity = 1) as largest_feeds
    from by_word
  ),
  listed as (
    select
      array_agg(alternatives.word) as numbers,
      array_agg(alternatives.query) as queries,
      array_agg(alternatives.rank_query) as rank_queries,
      array_agg(alternatives.worth) as worths,
      count(*) filter (where alternatives.feeds_so_far <= postings_max) as found_by,
      max(alternatives.words_asked) as words_asked,
      bool_and(alternatives.feeds_so_far > postings_max) as is_broad,
      bool_or(alternatives.lexeme = typed_key) as is_named
    from alternatives
  )
  select
    listed.numbers, listed.queries, listed.rank_queries, listed.worths, listed.found_by,
    listed.words_asked, listed.is_broad, listed.is_named, whole.worth, whole.all_query,
    whole.name_query, whole.category_query, whole.rarest_query::tsquery,
    whole.largest_query::tsquery, whole.largest_feeds
  into
    numbers, queries, rank_queries, worths, found_by, words_asked, is_broad, is_named, worth_max,
    all_query, name_query, category_query, rarest_query, largest_query, largest_feeds
  from listed
  cross join whole;

  if is_broad then
    return query
      select broad.feed_id, broad.place, broad.total
      from rank_broad_search(
        array[name_query, category_query, all_query, rarest_query], condition, rank_queries,
        typed_key, largest_query, largest_feeds, rows_max, rows_skipped
      ) as broad
      order by broad.place;
    return;
  end if;

  return query
  with postings as (
    select
      feeds.feed_id,
      alternatives.word,
      max(alternatives.worth * feeds.score) as score,
      max(feeds.bonus) as bonus
    from unnest(
      numbers[:found_by], queries[:found_by], rank_queries[:found_by], worths[:found_by]
    ) as alternatives (word, query, rank_query, worth)
    cross join lateral (
      select
        feeds.feed_id,
        greatest(
          ts_rank(field_weights, feeds.search_head, alternatives.rank_query) * rank_scale,
          field_weights[1]
        ) / (0.5 + 0.025 * length(feeds.search_head)) as score,
        case
          when feeds.name_key = typed_key then 10
          when feeds.search_head @@ category_query then 1
          else 0
        end as bonus
      from feeds
      where feeds.listed_at is not null
        and feeds.search @@ coalesce(alternatives.query && condition, alternatives.query)
    ) as feeds
    group by feeds.feed_id, alternatives.word
  ),
  word_scores as (
    select
      postings.feed_id,
      sum(postings.score) as score,
      count(*) as words,
      max(postings.bonus) as bonus,
      0::real as closeness
    from postings
    group by postings.feed_id
    union all
    select close.feed_id, 0, 0, 0, close.closeness
    from close_names(typed_key, close_names_max) as close
    join feeds
      on feeds.feed_id = close.feed_id
    where is_named is not true
      and char_length(typed_key) <= close_key_max
      and (condition is null or feeds.search @@ condition)
  ),
  found as materialized (
    select
      word_scores.feed_id,
      sum(word_scores.score) as score,
      sum(word_scores.words) as words,
      max(word_scores.closeness) as closeness,
      max(word_scores.bonus) as bonus
    from word_scores
    group by word_scores.feed_id
  ),
  -- What the more common words add, for those that lead without them or hold all of them.
  leaders as (
    select found.feed_id
    from found
    where found_by < cardinality(queries)
    order by round(1e9 * found.score * (0.3 + found.words)) desc, found.feed_id
    limit rescored_max
  ),
  holders as (
    select feeds.feed_id
    from feeds
    where found_by < cardinality(queries)
      and feeds.listed_at is not null
      and feeds.search @@ coalesce(all_query && condition, all_query)
  ),
  additions as (
    select
      feeds.feed_id,
      alternatives.word,
      max(
        alternatives.worth * ts_rank(field_weights, feeds.search_head, alternatives.rank_query)
        * rank_scale / (0.5 + 0.025 * length(feeds.search_head))
      ) as score
    from (
      select leaders.feed_id
      from leaders
      union
      select holders.feed_id
      from holders
    ) as chosen
    join feeds
      on feeds.feed_id = chosen.feed_id
    join unnest(
      numbers[found_by + 1:],
      queries[found_by + 1:],
      rank_queries[found_by + 1:],
      worths[found_by + 1:]
    ) as alternatives (word, query, rank_query, worth)
      on feeds.search_head @@ alternatives.query
    group by feeds.feed_id, alternatives.word
  ),
  parts as (
    select found.feed_id, found.score, found.words, found.closeness, found.bonus
    from found
    union all
    select additions.feed_id, additions.score, 1, 0, 0
    from additions
    union all
    select holders.feed_id, 0, words_asked, 0, 0
    from holders
  ),
  scores as (
    select
      parts.feed_id,
      sum(parts.score) / coalesce(nullif(worth_max, 0), 1) as score,
      least(sum(parts.words) / coalesce(words_asked, 1), 1)::double precision as coverage,
      max(parts.closeness) as closeness,
      max(parts.bonus) as bonus
    from parts
    group by parts.feed_id
  ),
  ranked as (
    select
      scores.feed_id,
      row_number() over (
        order by
          case
            when scores.coverage >= 1 or scores.closeness >= 0.5 then 2
            when scores.coverage > 0.5 then 1
            else 0
          end desc,
          round(1e9 * (
            scores.score * (0.3 + scores.coverage) + 1.5 * scores.closeness ^ 2 + scores.bonus
          )) desc,
          scores.feed_id
      ) as place,
      count(*) over () as total
    from scores
  )
  select ranked.feed_id, ranked.place, ranked.total
  from ranked
  where ranked.place = 1
    or (ranked.place > rows_skipped and ranked.place <= rows_skipped::bigint + rows_max);
end
$$;
