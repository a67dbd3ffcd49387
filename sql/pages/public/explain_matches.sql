-- name: explain_matches
-- why: where a search has matched in each feed of a page of results, with the matching words between \ue000 and \ue001
-- A text without a match is null. Only the beginning of a long text is examined. Fields are the matching names,
-- separated by spaces.
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
found as materialized (
  select
    feeds.feed_id,
    feeds.name,
    feeds.description,
    feeds.category,
    feeds.schema_definition,
    feeds.readme_md,
    feeds.search_head,
    feeds.search,
    ts_filter(feeds.search_head, '{a}') @@ asked.query as is_named,
    ts_filter(feeds.search_head, '{c}') @@ asked.query as has_field
  from feeds
  cross join asked
  where feeds.feed_id = any (:feed_ids::uuid[])
),
properties as materialized (
  select found.feed_id, property.name
  from found
  cross join lateral unnest(
    (string_to_array(search_properties(found.schema_definition), ' '))[:200]
  ) as property (name)
  where found.has_field
),
-- Feeds of a page often have the same names.
matching_names as materialized (
  select names.name
  from (select distinct properties.name from properties) as names
  cross join asked
  where to_tsvector('english', search_plain(search_split(names.name))) @@ asked.query
),
marks as (
  select 'HighlightAll=true, StartSel=' || chr(57344) || ', StopSel=' || chr(57345) as whole
)
select
  found.feed_id,
  case
    when found.is_named then ts_headline('english', found.name, asked.query, marks.whole)
  end as name,
  case
    when to_tsvector('english', search_plain(left(found.description, 2000))) @@ asked.query
      then ts_headline('english', left(found.description, 2000), asked.query, marks.whole)
  end as description,
  case
    when to_tsvector('english', search_plain(found.category)) @@ asked.query
      then ts_headline('english', found.category, asked.query, marks.whole)
  end as category,
  (
    select string_agg(properties.name, ' ' order by properties.name)
    from properties
    join matching_names
      using (name)
    where properties.feed_id = found.feed_id
  ) as fields,
  case
    when not found.search_head @@ asked.query and found.search @@ asked.query
      then ts_headline('english', left(found.readme_md, 4000), asked.query, marks.whole)
  end as readme
from found
cross join asked
cross join marks
order by found.feed_id
