-- name: find_skill_version
-- why: the version of a feed's skill, by id or slug
-- Being listed is part of the look-up, so that a draft, an unlisted, and an unknown feed take the same time.
-- :feed_id uuid?
-- :endpoint_path text?
-- returns feed_id uuid, definition_version bigint, account_name text
select
  feeds.feed_id,
  feeds.definition_version,
  accounts.name as account_name
from feeds
join accounts
  on accounts.account_id = feeds.account_id
where (feeds.feed_id = :feed_id or feeds.endpoint_path = :endpoint_path)
  and feeds.listed_at is not null
