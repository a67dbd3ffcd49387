-- name: list_top_reads
-- why: the feeds that are read most, and the accounts that read most, each ranked from 1, by one look at the log
-- :since timestamptz
-- :is_by_credits boolean
-- :limit int
-- returns is_feed boolean, place bigint, feed_id uuid?, endpoint_path text?, feed_name text?,
--   account_id uuid, account_name text, reads bigint, charge_nanos bigint
with counted as (
  select
    feed_id,
    account_id,
    grouping(feed_id) = 0 as is_feed,
    count(*) as reads,
    coalesce(sum(charge_nanos) filter (where not refunded), 0) as charge_nanos
  from usage_events
  where usage_id >= uuid_since(:since)
    and happened_at >= :since
    and operation in ('data', 'stream')
    and not failed
  group by grouping sets ((feed_id), (account_id))
),
ranked as (
  select
    counted.*,
    row_number() over (
      partition by is_feed
      order by
        case when :is_by_credits then charge_nanos else reads end desc,
        case when :is_by_credits then reads else charge_nanos end desc,
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
  ranked.reads,
  ranked.charge_nanos::bigint as charge_nanos
from ranked
left join feeds
  on feeds.feed_id = ranked.feed_id
-- A feed's owner, or who reads.
join accounts
  on accounts.account_id = coalesce(feeds.account_id, ranked.account_id)
where ranked.place <= :limit::int
order by ranked.is_feed desc, ranked.place
