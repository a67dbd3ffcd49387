-- name: list_top_reads
-- why: the feeds that are read most, and the accounts that read most, in a range of UTC days, each ranked from 1
-- :from_day text
-- :to_day text
-- :is_by_credits boolean
-- :limit int
-- returns is_feed boolean, place bigint, feed_id uuid?, endpoint_path text?, feed_name text?,
--   account_id uuid, account_name text, reads bigint, spent_nanos bigint
with counted as (
  select
    feed_id,
    account_id,
    grouping(feed_id) = 0 as is_feed,
    sum(reads) as reads,
    sum(charged_nanos - refunded_nanos) as spent_nanos
  from spending_days
  where day between :from_day::text::date and :to_day::text::date
  group by grouping sets ((feed_id), (account_id))
),
ranked as (
  select
    counted.*,
    row_number() over (
      partition by is_feed
      order by
        case when :is_by_credits then spent_nanos else reads end desc,
        case when :is_by_credits then reads else spent_nanos end desc,
        feed_id,
        account_id
    ) as place
  from counted
)
select
  ranked.is_feed,
  ranked.place,
  ranked.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  ranked.reads::bigint as reads,
  ranked.spent_nanos::bigint as spent_nanos
from ranked
left join feeds
  on feeds.feed_id = ranked.feed_id
-- A feed's owner, or who reads.
join accounts
  on accounts.account_id = coalesce(feeds.account_id, ranked.account_id)
where ranked.place <= :limit::int
order by ranked.is_feed desc, ranked.place
