-- name: set_feeds_public
-- why: lists feeds or takes them off the list; what is as wanted already stays untouched, and no review stays open
-- A feed that is listed again counts as newly published: the catalog shows it first.
-- :feed_ids uuid[]
-- :is_public boolean
-- :actor text?
-- returns feed_id uuid
with named as (
  select feed_id
  from feeds
  cross join act_as(:actor)
  where feed_id = any (:feed_ids)
  order by feed_id
  for no key update of feeds
)
update feeds
set is_public = :is_public,
  published_at = case when :is_public then now() end,
  unlisted_at = case when :is_public or not is_public then unlisted_at else now() end,
  review = 'none',
  review_reason = null,
  definition_version = definition_version + 1,
  updated_at = now()
from named
where feeds.feed_id = named.feed_id
  and (feeds.is_public <> :is_public or feeds.review <> 'none')
returning feeds.feed_id
