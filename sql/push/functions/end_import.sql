-- Ends an import that did not finish. The feed is free for another import, and staged rows are retired, so that a job
-- removes them. Events that were added to a stream stay. The history of pushes gets one entry that counts them.
--
-- ended_import_id: null for any import of the feed
-- ended_code, ended_detail: of the problem that ended it; null if its gateway was killed or has lost the database. Then
--   rows_received, body_bytes, and elapsed_ms are also unknown, and those stored with the import's rows are used
-- is_ended: whether the import still existed. If not, the history already has its entry
create or replace function end_import(
  imported_feed_id uuid,
  ended_import_id uuid,
  moment timestamptz,
  ended_code text default null,
  ended_detail text default null,
  rows_received int default null,
  body_bytes bigint default null,
  elapsed_ms int default null,
  out is_ended boolean
)
language plpgsql
as $$
#variable_conflict use_column
declare
  ended imports;
begin
  delete from imports
  where imports.feed_id = imported_feed_id
    and (ended_import_id is null or imports.import_id = ended_import_id)
  returning imports.* into ended;
  is_ended := found;
  if not is_ended then
    return;
  end if;
  update batches
  set status = 'retired',
    retired_at = moment
  where batches.feed_id = imported_feed_id
    and batches.batch_number = ended.batch_number
    and batches.status = 'open';

  insert into pushes (
    feed_id, pushed_at, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate,
    body_bytes, duration_ms
  )
  select
    feeds.feed_id,
    moment,
    false,
    coalesce(ended_code, 'UNAVAILABLE'),
    coalesce(
      ended_detail,
      'The gateway that ran this import stopped, or lost its database. Import the file again.'
    ),
    coalesce(end_import.rows_received, ended.rows_received),
    case when ended.batch_number is null then ended.rows_inserted else 0 end,
    0,
    ended.rows_duplicate,
    coalesce(end_import.body_bytes, ended.body_bytes),
    coalesce(elapsed_ms, (extract(epoch from ended.renewed_at - ended.begun_at) * 1000)::int)
  from feeds
  where feeds.feed_id = imported_feed_id
    and feeds.deleted_at is null
    and ended.rows_received is not null;
end
$$;
