-- name: explain_matches
-- why: what a search has found in each feed of a page of results, with the words that match between \ue000 and \ue001
-- A text without such a word is null. Of long texts, the beginning is looked at. Fields are the names that match, with a
-- space between two of them.
-- :q text
-- :feed_ids uuid[]
-- returns feed_id uuid, name text?, description text?, category text?, fields text?, readme text?
with asked as materialized (
  select string_agg('(' || alternative::text || ')', ' | ')::tsquery as query
  from parse_search(:q) as parsed
  cross join lateral weigh_search(
    parsed.plain, (select coalesce(sum(catalog_blocks.feeds), 0) from catalog_blocks)::bigint, 64, 2000
  ) as weighed
  cross join lateral unnest(weighed.rank_queries) as alternative
),
marks as (
  select 'HighlightAll=true, StartSel=' || chr(57344) || ', StopSel=' || chr(57345) as whole
)
select
  feeds.feed_id,
  case
    when ts_filter(feeds.search_head, '{a}') @@ asked.query
      then ts_headline('english', feeds.name, asked.query, marks.whole)
  end as name,
  case
    when to_tsvector('english', search_plain(left(feeds.description, 2000))) @@ asked.query
      then ts_headline('english', left(feeds.description, 2000), asked.query, marks.whole)
  end as description,
  case
    when to_tsvector('english', search_plain(feeds.category)) @@ asked.query
      then ts_headline('english', feeds.category, asked.query, marks.whole)
  end as category,
  case
    when ts_filter(feeds.search_head, '{c}') @@ asked.query
      then (
        select string_agg(property.name, ' ' order by property.name)
        from unnest(string_to_array(search_properties(feeds.schema_definition), ' ')) as property (name)
        where to_tsvector('english', search_plain(search_split(property.name))) @@ asked.query
      )
  end as fields,
  case
    when not feeds.search_head @@ asked.query and feeds.search @@ asked.query
      then ts_headline('english', left(feeds.readme_md, 4000), asked.query, marks.whole)
  end as readme
from feeds
cross join asked
cross join marks
where feeds.feed_id = any (:feed_ids::uuid[])
order by feeds.feed_id
