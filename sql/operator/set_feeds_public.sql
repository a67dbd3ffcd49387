-- name: set_feeds_public
-- why: lists or unlists feeds; a feed that is already in the wanted state stays unchanged; closes open reviews
-- A feed that is listed again counts as newly published, so it is first in the catalog. If one of the feeds was deleted
-- in the meantime, nothing is changed, and there is no row.
-- :feed_ids uuid[]
-- :is_public boolean
-- :actor text?
-- returns feed_id uuid
with named as (
  select feed_id
  from feeds
  cross join act_as(:actor)
  where feed_id = any (:feed_ids)
    and deleted_at is null
  order by feed_id
  for no key update of feeds
),
whole as (
  select feed_id
  from named
  where (select count(*) from named) = cardinality(:feed_ids::uuid[])
),
changed as (
  update feeds
  set is_public = :is_public,
    published_at = case when :is_public then now() end,
    unlisted_at = case when :is_public or not is_public then unlisted_at else now() end,
    review = 'none',
    review_reason = null,
    definition_version = definition_version + 1,
    updated_at = now()
  from whole
  where feeds.feed_id = whole.feed_id
    and (feeds.is_public <> :is_public or feeds.review <> 'none')
)
select feed_id
from whole
order by feed_id
