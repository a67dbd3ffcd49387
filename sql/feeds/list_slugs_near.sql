-- name: list_slugs_near
-- why: the listed slugs next to a mistyped one in alphabetical order, to suggest one of them
-- :endpoint_path text
-- :slugs_max int
-- returns endpoint_path text
select near.endpoint_path
from (
  (
    select endpoint_path, listed_at
    from feeds
    where endpoint_path < :endpoint_path
    order by endpoint_path desc
    limit :slugs_max::int
  )
  union all
  (
    select endpoint_path, listed_at
    from feeds
    where endpoint_path > :endpoint_path
    order by endpoint_path
    limit :slugs_max::int
  )
) as near
where near.listed_at is not null
order by near.endpoint_path
