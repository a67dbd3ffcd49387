-- name: edit_account
-- why: changes an account's name or quota, or suspends or resumes it
-- A closed account stays as it is; no row is returned.
-- Suspension ends the account's console sessions. No key of the account may be used while there is a suspension_reason.
-- The account's feeds show its name, and caches identify a feed by the version of its row, so a new name gives its
-- feeds new versions.
-- :account_id uuid
-- :fields json
-- :actor text?
-- returns account_id uuid
with known as (
  select name
  from accounts
  cross join act_as(:actor)
  where account_id = :account_id
    and closed_at is null
  for no key update of accounts
),
edited as (
  update accounts
  set (name, max_feeds_allowed, suspension_reason) = (
    select wanted.name, wanted.max_feeds_allowed, wanted.suspension_reason
    from json_populate_record(accounts, :fields) as wanted
  )
  from known
  where accounts.account_id = :account_id
  returning
    accounts.account_id,
    accounts.name <> known.name as is_renamed,
    accounts.suspension_reason is not null as is_suspended
),
ended as (
  delete from console_sessions
  using edited, api_keys
  where edited.is_suspended
    and api_keys.account_id = edited.account_id
    and console_sessions.key_id = api_keys.key_id
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
