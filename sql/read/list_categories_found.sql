-- name: list_categories_found
-- why: the categories in which a search has hits, those with the best hits first, if the category that was asked for has none
-- $1 q text
-- $2 matches_max int
-- $3 categories_max int
-- returns category text
select feeds.category
from search_matches($1, null, $2::int, 0) as matches
join feeds
  on feeds.feed_id = matches.feed_id
where feeds.category is not null
group by feeds.category
order by min(matches.place), feeds.category
limit $3::int
