-- name: list_feed_contents
-- why: the contents of feeds: visible rows, newest open batches, the newest refused push, and activity of 30 days
-- Activity, the reads and earnings, comes from the daily totals.
-- :feed_ids uuid[]
-- :abandoned_after interval
-- :batches_max int
-- :kept interval
-- returns feed_id uuid, row_count bigint, batch_id text?, batch_rows bigint?, begun_at timestamptz?,
--   closes_at timestamptz?, last_refusal json?, reads bigint, readers bigint, net_nanos bigint
select
  feeds.feed_id,
  coalesce(shown.row_count, 0) as row_count,
  waiting.batch_id,
  waiting.batch_rows,
  waiting.begun_at,
  waiting.closes_at,
  (
    select json_build_object(
      'push_id', refused.push_id,
      'pushed_at', to_char(refused.pushed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'code', refused.code,
      'detail', refused.detail
    )
    from pushes as refused
    where refused.feed_id = feeds.feed_id
      and not refused.stored
      and refused.pushed_at >= now() - :kept::interval
    order by refused.pushed_at desc, refused.push_id desc
    limit 1
  ) as last_refusal,
  sold.reads,
  (
    select coalesce(sum(customer_counts.accounts), 0)
    from customer_counts
    where customer_counts.scope_id = feeds.feed_id
      and customer_counts.day >= (now() at time zone 'UTC')::date - 29
      and customer_counts.previous_day < (now() at time zone 'UTC')::date - 29
  )::bigint as readers,
  sold.net_nanos
from feeds
cross join lateral (
  select
    coalesce(sum(earning_days.reads), 0)::bigint as reads,
    coalesce(sum(gross_nanos - refunded_nanos - fee_nanos), 0)::bigint as net_nanos
  from earning_days
  where earning_days.feed_id = feeds.feed_id
    and earning_days.day >= (now() at time zone 'UTC')::date - 29
) as sold
left join row_totals as shown
  on shown.feed_id = feeds.feed_id
  and shown.batch_number = coalesce(feeds.current_batch, 0)
left join lateral (
  select
    batches.batch_number,
    batches.batch_id,
    coalesce(totals.row_count, 0) as batch_rows,
    batches.begun_at,
    -- A batch that readers see, or of a suspended feed, is not closed for its age.
    case
      when batches.batch_number <> feeds.current_batch and feeds.suspension_reason is null
        then coalesce(batches.pushed_at, batches.begun_at) + :abandoned_after::interval
    end as closes_at
  from batches
  left join row_totals as totals
    on totals.feed_id = batches.feed_id
    and totals.batch_number = batches.batch_number
  where batches.feed_id = feeds.feed_id
    -- Completing a batch retires earlier ones.
    and batches.batch_number >= feeds.current_batch
    and batches.status = 'open'
    -- Batches staged by imports have no name.
    and batches.batch_id is not null
  order by batches.batch_number desc
  limit :batches_max::int
) as waiting
  on true
where feeds.feed_id = any (:feed_ids)
order by feeds.feed_id, waiting.batch_number desc
