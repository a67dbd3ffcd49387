-- name: list_top_reads
-- why: the feeds that are read most, and the accounts that read most, in a range of UTC days, each ranked from 1
-- :from_day text
-- :to_day text
-- :is_by_credits boolean
-- :limit int
-- returns is_feed boolean, place int, feed_id uuid?, endpoint_path text?, feed_name text?,
--   account_id uuid, account_name text, reads bigint, spent_nanos bigint
select
  ranked.is_feed,
  ranked.place,
  ranked.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  ranked.reads,
  ranked.spent_nanos
from find_top_reads(:from_day::text::date, :to_day::text::date, :is_by_credits, :limit) as ranked
left join feeds
  on feeds.feed_id = ranked.feed_id
-- A feed's owner, or the account that reads.
join accounts
  on accounts.account_id = coalesce(feeds.account_id, ranked.account_id)
order by ranked.is_feed desc, ranked.place
