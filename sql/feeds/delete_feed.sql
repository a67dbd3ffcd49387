-- name: delete_feed
-- why: deletes a feed, by id or slug, and records the actor in the audit trail
-- A slug means the feed that has it, or else the feed that had it last, so that deleting by slug can also be repeated.
-- :account_id uuid?
-- :feed_id uuid?
-- :endpoint_path text?
-- :actor text?
-- :deletions_per_feed int
-- returns outcome text, feed_id uuid?, suspension_reason text?, deletions_max bigint?, retry_after_ms bigint?
select
  deletion.outcome,
  wanted.feed_id,
  deletion.suspension_reason,
  deletion.deletions_max,
  deletion.retry_after_ms
from (
  select coalesce(
    :feed_id,
    (
      select feeds.feed_id
      from feeds
      where (feeds.endpoint_path = :endpoint_path or feeds.former_path = :endpoint_path)
        and (:account_id::uuid is null or feeds.account_id = :account_id)
      order by feeds.deleted_at desc nulls first
      limit 1
    )
  ) as feed_id
) as wanted
cross join lateral delete_feed(:account_id, wanted.feed_id, :actor, :deletions_per_feed) as deletion
