-- name: set_feeds_public
-- why: lists feeds or takes them off the list; what is as wanted already stays untouched
-- A feed that is listed again counts as newly published: the catalog shows it first.
-- $1 feed_ids uuid[]
-- $2 is_public boolean
-- $3 actor text?
-- returns feed_id uuid
with named as (
  select feed_id
  from feeds
  cross join act_as($3)
  where feed_id = any ($1)
  order by feed_id
  for no key update of feeds
)
update feeds
set is_public = $2,
  published_at = case when $2 then now() end,
  unlisted_at = case when $2 then unlisted_at else now() end,
  definition_version = definition_version + 1,
  updated_at = now()
from named
where feeds.feed_id = named.feed_id
  and feeds.is_public <> $2
returning feeds.feed_id
