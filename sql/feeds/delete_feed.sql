-- name: delete_feed
-- why: deletes a feed, by id or slug, and says who did for the audit trail
-- A slug means a feed that has it, and else the one that had it last: to delete it again is harmless, by slug, too.
-- $1 account_id uuid?
-- $2 feed_id uuid?
-- $3 endpoint_path text?
-- $4 actor text?
-- $5 deletions_per_feed int
-- returns outcome text, feed_id uuid?, suspension_reason text?, deletions_max bigint?, retry_after_ms bigint?
select
  deletion.outcome,
  wanted.feed_id,
  deletion.suspension_reason,
  deletion.deletions_max,
  deletion.retry_after_ms
from (
  select coalesce(
    $2,
    (
      select feeds.feed_id
      from feeds
      where (feeds.endpoint_path = $3 or feeds.former_path = $3)
        and ($1::uuid is null or feeds.account_id = $1)
      order by feeds.deleted_at desc nulls first
      limit 1
    )
  ) as feed_id
) as wanted
cross join lateral delete_feed($1, wanted.feed_id, $4, $5) as deletion
