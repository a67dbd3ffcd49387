-- name: list_categories
-- why: the categories with the most listed feeds, for the front page
-- :limit int
-- returns category text, feeds bigint
with filed as (
  -- By the column itself, whose index contains what is counted.
  select category, count(*) as feeds
  from feeds
  where listed_at is not null
  group by category
)
select coalesce(category, 'uncategorized') as category, sum(feeds)::bigint as feeds
from filed
group by coalesce(category, 'uncategorized')
order by feeds desc, category
limit :limit::int
