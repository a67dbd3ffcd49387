-- name: search_feeds_by_name
-- why: feeds whose name or slug contains a text, newest first, after the previous page
-- For operators: includes drafts and unlisted feeds, but no deleted ones. Ignores case. No index finds a part of the
-- name of an unlisted feed, so the statement scans the index of the newest feeds, which contains names and slugs, until
-- the page is full. It reads the index at most once, and only the rows of matching feeds.
-- :part text
-- :account_id uuid?
-- :status text?
-- :review text?
-- :after_feed_id uuid?
-- :limit int
-- returns feed_id uuid, account_id uuid, account_name text, name text, endpoint_path text?, feed_type text?,
--   status text, is_public boolean, review text, last_sync_at timestamptz?
select
  feeds.feed_id,
  feeds.account_id,
  accounts.name as account_name,
  feeds.name,
  feeds.endpoint_path,
  feeds.feed_type,
  feeds.status,
  feeds.is_public,
  feeds.review,
  feeds.last_sync_at
from (
  select feed_id, created_at
  from feeds
  where deleted_at is null
    and (
      position(lower(:part::text) in lower(name)) > 0
      or position(lower(:part) in endpoint_path) > 0
    )
    and (
      :after_feed_id::uuid is null
      or (created_at, feed_id) < (
        select after.created_at, after.feed_id from feeds as after where after.feed_id = :after_feed_id
      )
    )
  order by created_at desc, feed_id desc
) as named
join feeds
  on feeds.feed_id = named.feed_id
join accounts
  on accounts.account_id = feeds.account_id
where (:account_id::uuid is null or feeds.account_id = :account_id)
  and (:status::text is null or feeds.status = :status)
  and (
    :review::text is null
    or (:review = 'listed' and feeds.is_public)
    or (:review <> 'listed' and not feeds.is_public and feeds.review = :review)
  )
order by named.created_at desc, named.feed_id desc
limit :limit::int
