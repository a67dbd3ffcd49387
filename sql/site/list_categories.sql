-- name: list_categories
-- why: the categories that have the most listed feeds, for the front page
-- :limit int
-- returns category text, feeds bigint
select coalesce(category, 'uncategorized') as category, count(*) as feeds
from feeds
where listed_at is not null
group by coalesce(category, 'uncategorized')
order by feeds desc, category
limit :limit::int
