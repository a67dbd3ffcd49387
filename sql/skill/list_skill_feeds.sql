-- name: list_skill_feeds
-- why: which feeds have an agent skill, newest published first, and whether one must be written anew
-- $1 limit int
-- returns feed_id uuid, definition_version bigint, account_name text
select
  feeds.feed_id,
  feeds.definition_version,
  accounts.name as account_name
from feeds
join accounts
  on accounts.account_id = feeds.account_id
where feeds.listed_at is not null
order by feeds.listed_at desc, feeds.feed_id
limit $1::int
