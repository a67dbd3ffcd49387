-- name: edit_account
-- why: changes an account's name or quota; what is null stays
-- The account's feeds show its name, and caches know a feed by the version of its row. So a new name gives its
-- feeds new versions.
-- $1 account_id uuid
-- $2 name text?
-- $3 max_feeds_allowed int?
-- returns account_id uuid
with known as (
  select name
  from accounts
  where account_id = $1
  for no key update
),
edited as (
  update accounts
  set name = coalesce($2, accounts.name),
    max_feeds_allowed = coalesce($3, accounts.max_feeds_allowed)
  from known
  where accounts.account_id = $1
  returning accounts.account_id, accounts.name <> known.name as is_renamed
),
shown as (
  select feeds.feed_id
  from feeds
  join edited
    on edited.account_id = feeds.account_id
  where edited.is_renamed
  order by feeds.feed_id
  for no key update of feeds
),
renewed as (
  update feeds
  set updated_at = feeds.updated_at
  from shown
  where feeds.feed_id = shown.feed_id
)
select account_id
from edited
