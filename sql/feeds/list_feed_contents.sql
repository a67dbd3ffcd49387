-- name: list_feed_contents
-- why: how many rows readers of feeds see, and the newest of the batches that wait to be completed
-- :feed_ids uuid[]
-- :abandoned_after interval
-- :batches_max int
-- returns feed_id uuid, row_count bigint, batch_id text?, batch_rows bigint?, begun_at timestamptz?,
--   closes_at timestamptz?
select
  feeds.feed_id,
  coalesce(shown.row_count, 0) as row_count,
  waiting.batch_id,
  waiting.batch_rows,
  waiting.begun_at,
  waiting.closes_at
from feeds
left join row_totals as shown
  on shown.feed_id = feeds.feed_id
  and shown.batch_number = coalesce(feeds.current_batch, 0)
left join lateral (
  select
    batches.batch_number,
    batches.batch_id,
    coalesce(totals.row_count, 0) as batch_rows,
    batches.begun_at,
    -- One that readers see is not closed for its age.
    case
      when batches.batch_number <> feeds.current_batch
        then coalesce(batches.pushed_at, batches.begun_at) + :abandoned_after::interval
    end as closes_at
  from batches
  left join row_totals as totals
    on totals.feed_id = batches.feed_id
    and totals.batch_number = batches.batch_number
  where batches.feed_id = feeds.feed_id
    -- Completing a batch retires those before it.
    and batches.batch_number >= feeds.current_batch
    and batches.status = 'open'
  order by batches.batch_number desc
  limit :batches_max::int
) as waiting
  on true
where feeds.feed_id = any (:feed_ids)
order by feeds.feed_id, waiting.batch_number desc
