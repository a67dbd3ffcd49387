-- name: search_invited_feeds
-- why: one page of a search among the invited feeds that an account can find, best first, with the total
-- Feeds that contain more of the words come first. The feeds are few, so misspelled words are not guessed.
-- :account_id uuid
-- :q text
-- :category text?
-- :limit int
-- :offset int
-- returns feed_id uuid?, name text?, description text?, category text?, feed_type text?,
--   endpoint_path text?, call_price_nanos bigint?, price_type text?, one_time_price_cents bigint?,
--   reliability_score numeric?, last_sync_at timestamptz?, update_frequency_text text?,
--   sync_interval_mins int?, access text?, total bigint
with asked as (
  select
    parsed.condition,
    -- A query of stop words only is searched without stemming.
    case
      when numnode(plainto_tsquery('english', parsed.plain)) > 0
        then plainto_tsquery('english', parsed.plain)
      else plainto_tsquery('simple', parsed.plain)
    end as every_word
  from parse_search(:q) as parsed
),
found as materialized (
  select
    invited.feed_id,
    ts_rank(feeds.search_head, any_word) as worth,
    feeds.search @@ asked.every_word as has_all
  from asked
  cross join lateral (
    select replace(asked.every_word::text, ' & ', ' | ')::tsquery as any_word
  ) as words
  cross join invited_feeds_of(:account_id) as invited
  join feeds
    on feeds.feed_id = invited.feed_id
  where feeds.search @@ any_word
    and (asked.condition is null or feeds.search @@ asked.condition)
    and (
      :category::text is null
      or feeds.search @@ to_lexeme_query('=' || lower(left(:category, 100)))
    )
),
size as (
  select count(*) as total
  from found
),
page as (
  select feed_id, row_number() over (order by has_all desc, worth desc, feed_id) as place
  from found
  order by place
  limit :limit::int
  offset :offset::int
)
select
  feeds.feed_id,
  feeds.name,
  feeds.description,
  feeds.category,
  feeds.feed_type,
  feeds.endpoint_path,
  feeds.call_price_nanos,
  feeds.price_type,
  feeds.one_time_price_cents,
  feeds.reliability_score,
  feeds.last_sync_at,
  feeds.update_frequency_text,
  feeds.sync_interval_mins,
  feeds.access,
  size.total
from size
left join page
  on true
left join feeds
  on feeds.feed_id = page.feed_id
order by page.place
