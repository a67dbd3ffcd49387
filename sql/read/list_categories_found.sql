-- name: list_categories_found
-- why: the categories in which a search has hits, best hits first, if the requested category has none
-- :q text
-- :matches_max int
-- :categories_max int
-- returns category text
select feeds.category
from search_matches(:q, null, :matches_max::int, 0) as matches
join feeds
  on feeds.feed_id = matches.feed_id
where feeds.category is not null
group by feeds.category
order by min(matches.place), feeds.category
limit :categories_max::int
