-- name: survey_export
-- why: the rows of an export, in the snapshot in which they are then read; no row if they are not available
-- They are not if the version, or the row after which the export resumes, has been removed. Counting rows takes time,
-- so they are not counted before an export is admitted. Until then, row_count is an upper bound. It is too high only
-- when resuming after a row, or if there are events past retention.
-- :feed_id uuid
-- :account_id uuid
-- :version bigint?
-- :after text?
-- :grace interval
-- :is_counted boolean
-- returns data_version bigint, batch_number bigint, after_position bigint, last_position bigint,
--   oldest_event text, row_count bigint, endpoint_path text?, schema_definition json?, csv_columns json?
with feed as (
  select
    feed_id, feed_type, data_version, coalesce(current_batch, 0) as current_batch,
    next_position - 1 as last_position, oldest_readable(retention_days) as oldest_event,
    endpoint_path, schema_definition
  from feeds
  where feed_id = :feed_id
),
-- The newest version, or one that was exported before.
wanted as (
  select data_version, current_batch as batch_number, last_position
  from feed
  where :version::bigint is null
    or data_version = :version
  union all
  (
    select exports.data_version, exports.batch_number, exports.last_position
    from exports
    join feed
      on feed.feed_id = exports.feed_id
      and feed.data_version <> exports.data_version
    where exports.data_version = :version
    order by exports.export_id
    limit 1
  )
),
-- Versions whose rows are all there, unchanged.
kept as (
  select wanted.data_version, wanted.batch_number, wanted.last_position
  from wanted
  where wanted.batch_number = 0
    or (
      exists (
        select from batches
        where batches.feed_id = :feed_id
          and batches.batch_number = wanted.batch_number
          and (batches.status <> 'retired' or batches.retired_at > now() - :grace::interval)
      )
      and not exists (
        select from row_totals
        where row_totals.feed_id = :feed_id
          and row_totals.batch_number = wanted.batch_number
          and row_totals.changed_version >= wanted.data_version
      )
    )
),
begun as (
  select
    kept.data_version, kept.batch_number, kept.last_position,
    case
      when :after::text is null then 0
      when kept.batch_number = 0 then (
        select stream_events.position
        from stream_events
        where stream_events.feed_id = :feed_id
          and stream_events.row_id = :after
      )
      else (
        select collection_rows.position
        from collection_rows
        where collection_rows.feed_id = :feed_id
          and collection_rows.batch_number = kept.batch_number
          and collection_rows.row_id = :after
      )
    end as after_position
  from kept
)
select
  begun.data_version, begun.batch_number, begun.after_position, begun.last_position,
  feed.oldest_event::text as oldest_event,
  case
    when not :is_counted::boolean then (
      select least(coalesce(max(row_totals.row_count), 0), begun.last_position - begun.after_position)
      from row_totals
      where row_totals.feed_id = :feed_id
        and row_totals.batch_number = begun.batch_number
    )
    when begun.batch_number = 0 then (
      select count(*)
      from stream_events
      where stream_events.feed_id = :feed_id
        and stream_events.position > begun.after_position
        and stream_events.position <= begun.last_position
        and (feed.oldest_event = '-infinity' or stream_events.event_at >= feed.oldest_event)
    )
    else (
      select count(*)
      from collection_rows
      where collection_rows.feed_id = :feed_id
        and collection_rows.batch_number = begun.batch_number
        and collection_rows.position > begun.after_position
        and collection_rows.position <= begun.last_position
    )
  end as row_count,
  feed.endpoint_path, feed.schema_definition,
  -- Of the account's own CSV of this version, which is resumed.
  (
    select exports.csv_columns
    from exports
    where :after::text is not null
      and exports.account_id = :account_id
      and exports.feed_id = :feed_id
      and exports.data_version = begun.data_version
      and exports.csv_columns is not null
    order by exports.happened_at desc
    limit 1
  ) as csv_columns
from begun
cross join feed
where begun.after_position <= begun.last_position
