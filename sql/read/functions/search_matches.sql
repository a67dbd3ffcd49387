-- The feeds that a query finds: one page, best first, each with its place and the exact total.
--
-- A feed's score is the share of the query's worth that it contains: for each word, the inverse document frequency
-- times the weight of the field that contains it, reduced in a long text. Added to that are how much of the query it
-- covers (all words, then most, then some), how close its name is to the typed text, and whether the query names its
-- category.
--
-- Work is limited, however common the words are. Feeds are found by the query's rarest words, as many as occur in
-- postings_max feeds together. For the rescored_max best of them, the more common words then add to the score. If even
-- the rarest word occurs in more feeds than that, rank_broad_search answers.
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
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  words_max constant integer := 64;
  postings_max constant bigint := 2000;
  rescored_max constant integer := 100;
  category_chars_max constant integer := 100;
  close_names_max constant integer := 50;
  close_names_enough constant integer := 5;
  -- A longer text is not a name.
  close_words_max constant integer := 5;
  close_key_max constant integer := 40;
  -- ts_rank divides by it: the limit of the sum of 1/n².
  rank_scale constant double precision := 1.64493;
  -- Of readme, schema property names, description and category, name.
  field_weights constant real[] := '{0.2, 0.4, 0.8, 1.0}';
  parsed record;
  weighed record;
  typed_key text;
  condition tsquery;
  category_mark tsquery;
  filed_query tsquery;
  feeds_listed bigint;
  words_asked double precision;
  has_more_words boolean;
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
  select *
  into weighed
  from weigh_search(parsed.plain, feeds_listed, words_max, postings_max);

  if weighed.is_broad then
    return query
      select broad.feed_id, broad.place, broad.total
      from rank_broad_search(
        array[
          weighed.name_query,
          weighed.category_query,
          nullif(weighed.all_query::text, weighed.rarest_query::text)::tsquery,
          weighed.rarest_query
        ],
        condition, weighed.rank_queries, typed_key, weighed.largest_query, weighed.largest_feeds,
        feeds_listed, rows_max, rows_skipped
      ) as broad
      order by broad.place;
    return;
  end if;

  words_asked := weighed.words_asked;
  has_more_words := weighed.found_by < cardinality(weighed.queries);
  filed_query := weighed.category_query && weighed.rarest_query;
  return query
  with postings as (
    select
      feeds.feed_id,
      alternatives.word,
      max(alternatives.worth * feeds.score) as score
    from unnest(
      weighed.numbers[:weighed.found_by],
      weighed.queries[:weighed.found_by],
      weighed.rank_queries[:weighed.found_by],
      weighed.worths[:weighed.found_by]
    ) as alternatives (word, query, rank_query, worth)
    cross join lateral (
      select
        feeds.feed_id,
        greatest(
          ts_rank(field_weights, feeds.search_head, alternatives.rank_query) * rank_scale,
          field_weights[1]
        ) / (0.5::double precision + 0.025::double precision * length(feeds.search_head)) as score
      from feeds
      where feeds.listed_at is not null
        and feeds.search @@ coalesce(alternatives.query && condition, alternatives.query)
    ) as feeds
    group by feeds.feed_id, alternatives.word
  ),
  totals as (
    select postings.feed_id, sum(postings.score) / weighed.worth_max as score, count(*) as words
    from postings
    group by postings.feed_id
  ),
  -- Properties computed for few feeds: that they also contain the more common words, that all words are in their
  -- category, that their name is close to the typed text.
  marks as (
    select
      marks.feed_id,
      max(marks.words) as words,
      max(marks.closeness) as closeness,
      max(marks.bonus) as bonus
    from (
      select feeds.feed_id, weighed.words_asked as words, 0::real as closeness, 0 as bonus
      from feeds
      where has_more_words
        and feeds.listed_at is not null
        and feeds.search @@ coalesce(weighed.all_query && condition, weighed.all_query)
      union all
      select feeds.feed_id, 0, 0, 1
      from feeds
      where feeds.listed_at is not null
        and feeds.search @@ coalesce(filed_query && condition, filed_query)
      union all
      select close.feed_id, 0, close.closeness, 0
      from close_names(typed_key, close_names_max, close_names_enough) as close
      join feeds
        on feeds.feed_id = close.feed_id
      where not weighed.is_named
        and weighed.words_asked <= close_words_max
        and char_length(typed_key) <= close_key_max
        and (condition is null or feeds.search @@ condition)
    ) as marks
    group by marks.feed_id
  ),
  found as materialized (
    select
      feed_id,
      coalesce(totals.score, 0) as score,
      greatest(totals.words, marks.words) as words,
      coalesce(marks.closeness, 0) as closeness,
      coalesce(marks.bonus, 0) as bonus
    from totals
    full join marks
      using (feed_id)
  ),
  leaders as (
    select found.feed_id, found.score, found.words, found.closeness, found.bonus
    from found
    order by
      search_merit(found.score, found.words / words_asked, found.closeness, found.bonus) desc,
      found.feed_id
    limit rescored_max
  ),
  rescored as (
    select
      leaders.feed_id,
      leaders.score + coalesce(additions.score / weighed.worth_max, 0) as score,
      leaders.words + coalesce(additions.words, 0) as words,
      leaders.closeness,
      case when feeds.name_key = typed_key then 10 else leaders.bonus end as bonus
    from leaders
    left join feeds
      on feeds.feed_id = leaders.feed_id
      and (has_more_words or weighed.is_named)
    left join lateral (
      select sum(words.score) as score, count(*) as words
      from (
        select
          max(
            alternatives.worth * ts_rank(field_weights, feeds.search_head, alternatives.rank_query)
          ) * rank_scale
          / (0.5::double precision + 0.025::double precision * length(feeds.search_head)) as score
        from unnest(
          weighed.numbers[weighed.found_by + 1:],
          weighed.rank_queries[weighed.found_by + 1:],
          weighed.worths[weighed.found_by + 1:]
        ) as alternatives (word, rank_query, worth)
        where feeds.search_head @@ alternatives.rank_query
        group by alternatives.word
      ) as words
    ) as additions
      on has_more_words
  ),
  ranked as (
    select
      rescored.feed_id,
      row_number() over (
        order by
          search_merit(
            rescored.score, rescored.words / words_asked, rescored.closeness, rescored.bonus
          ) desc,
          rescored.feed_id
      ) as place
    from rescored
    union all
    -- Common words only raise the scores of the leaders, so those stay ahead of all others, whose order does not
    -- change.
    select others.feed_id, others.place
    from (
      select
        found.feed_id,
        row_number() over (
          order by
            search_merit(found.score, found.words / words_asked, found.closeness, found.bonus) desc,
            found.feed_id
        ) as place
      from found
      where rows_skipped::bigint + rows_max > rescored_max
    ) as others
    where others.place > rescored_max
  )
  select ranked.feed_id, ranked.place, (select count(*) from found)
  from ranked
  where ranked.place = 1
    or (ranked.place > rows_skipped and ranked.place <= rows_skipped::bigint + rows_max);
end
$$;
