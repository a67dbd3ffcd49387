-- name: list_skill_versions
-- why: a page of the feeds with an agent skill, newest published first, each with the version of its skill
-- As one JSON text, because it is compared far more often than it is read.
-- :limit int
-- :offset bigint
-- returns versions json, has_more boolean
with listed as (
  select
    row_number() over (order by feeds.listed_at desc, feeds.feed_id) as place,
    feeds.feed_id,
    feeds.definition_version,
    accounts.name as account_name
  from feeds
  join accounts
    on accounts.account_id = feeds.account_id
  where feeds.listed_at is not null
  order by feeds.listed_at desc, feeds.feed_id
  limit :limit::int + 1
  offset :offset::bigint
)
select
  coalesce(
    json_agg(
      json_build_object(
        'feed_id', feed_id,
        'definition_version', definition_version,
        'account_name', account_name
      )
      order by place
    ) filter (where place <= :offset::bigint + :limit::int),
    '[]'
  ) as versions,
  count(*) > :limit::int as has_more
from listed
