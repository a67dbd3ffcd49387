-- Removes what deleted feeds had, the oldest deletion first, a bounded piece at a time: rows, filter indexes, batches
-- and the history of pushes. The feed's row stays, because the usage log and the ledger name it. A slug is set free
-- when the deletion is older than slug_age.
create or replace function remove_deleted_feeds(
  moment timestamptz,
  pause interval,
  slug_age interval,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  job constant text := 'deleted feeds';
  feed record;
  rows_left int := row_limit;
  removed int;
begin
  if begin_job(job, moment) is null then
    return false;
  end if;
  update feeds
  set endpoint_path = 'deleted-' || feeds.feed_id
  where feeds.deleted_at <= moment - slug_age
    and feeds.endpoint_path <> 'deleted-' || feeds.feed_id;

  select feeds.feed_id
  into feed
  from feeds
  where feeds.deleted_at is not null
    and feeds.emptied_at is null
  order by feeds.deleted_at
  limit 1;
  if not found then
    return end_job(job, moment, pause, false);
  end if;

  delete from documents
  where documents.feed_id = feed.feed_id;
  delete from collection_rows
  where collection_rows.feed_id = feed.feed_id
    and (collection_rows.batch_number, collection_rows.position) in (
      select rows.batch_number, rows.position
      from collection_rows as rows
      where rows.feed_id = feed.feed_id
      order by rows.batch_number, rows.position
      limit rows_left
    );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  delete from stream_events
  where stream_events.feed_id = feed.feed_id
    and stream_events.position in (
      select events.position
      from stream_events as events
      where events.feed_id = feed.feed_id
      order by events.position
      limit rows_left
    );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  delete from filter_terms
  where (
    filter_terms.filter_index_id, filter_terms.term, filter_terms.event_at, filter_terms.position
  ) in (
    select entries.filter_index_id, entries.term, entries.event_at, entries.position
    from filter_indexes
    join filter_terms as entries
      on entries.filter_index_id = filter_indexes.filter_index_id
    where filter_indexes.feed_id = feed.feed_id
    limit rows_left
  );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  delete from pushes
  where pushes.push_id in (
    select history.push_id
    from pushes as history
    where history.feed_id = feed.feed_id
    limit rows_left
  );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  if rows_left = 0 then
    return end_job(job, moment, pause, true);
  end if;

  delete from replaced_rows
  using filter_indexes
  where filter_indexes.feed_id = feed.feed_id
    and replaced_rows.filter_index_id = filter_indexes.filter_index_id;
  delete from filter_indexes
  where filter_indexes.feed_id = feed.feed_id;
  delete from batches
  where batches.feed_id = feed.feed_id;
  delete from row_totals
  where row_totals.feed_id = feed.feed_id;
  delete from push_windows
  where push_windows.feed_id = feed.feed_id;
  update feeds
  set emptied_at = moment,
    current_batch = null
  where feeds.feed_id = feed.feed_id;
  return end_job(job, moment, pause, true);
end
$$;
