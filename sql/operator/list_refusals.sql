-- name: list_refusals
-- why: refused pushes by feed and code, each with its newest one, newest first, after the previous page
-- All pages are as of the same push. Otherwise later pushes would move entries that were not shown yet to earlier
-- pages.
-- :since timestamptz
-- :newest_push_id bigint?
-- :before_push_id bigint?
-- :limit int
-- returns feed_id uuid, endpoint_path text?, feed_name text, account_id uuid, account_name text, code text?,
--   pushes bigint, last_push_id bigint, last_pushed_at timestamptz, last_detail text?, newest_push_id bigint
with shown as (
  select coalesce(:newest_push_id::bigint, max(push_id)) as newest_push_id
  from pushes
),
refusals as (
  select feed_id, code, count(*) as pushes, max(push_id) as last_push_id
  from pushes
  where not stored
    and pushed_at >= :since
    and push_id <= (select newest_push_id from shown)
  group by feed_id, code
)
select
  feeds.feed_id,
  feeds.endpoint_path,
  feeds.name as feed_name,
  accounts.account_id,
  accounts.name as account_name,
  refusals.code,
  refusals.pushes,
  refusals.last_push_id,
  newest.pushed_at as last_pushed_at,
  newest.detail as last_detail,
  shown.newest_push_id
from refusals
cross join shown
join pushes as newest
  on newest.push_id = refusals.last_push_id
join feeds
  on feeds.feed_id = refusals.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where :before_push_id::bigint is null
  or refusals.last_push_id < :before_push_id
order by refusals.last_push_id desc
limit :limit::int
