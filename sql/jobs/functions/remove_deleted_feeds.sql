-- Removes the contents of deleted feeds, oldest deletion first, in bounded pieces: rows, filter indexes, batches, the
-- history of pushes, pending requests for access, and finally the texts. The feed's row and name stay, because the
-- usage log and the ledger refer to it. A slug becomes free when the deletion is older than slug_age.
create or replace function remove_deleted_feeds(
  moment timestamptz,
  slug_age interval,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  feed record;
  last_row record;
  index_id integer;
  rows_left int := row_limit;
  removed int;
begin
  update feeds
  set endpoint_path = null
  where feeds.deleted_at <= moment - slug_age
    and feeds.endpoint_path is not null;

  select feeds.feed_id
  into feed
  from feeds
  where feeds.deleted_at is not null
    and feeds.emptied_at is null
  order by feeds.deleted_at
  limit 1;
  if not found then
    return false;
  end if;

  delete from documents
  where documents.feed_id = feed.feed_id;
  -- The first rows by key, up to the last of them: a range of the index.
  select first_rows.batch_number, first_rows.position
  into last_row
  from (
    select collection_rows.batch_number, collection_rows.position
    from collection_rows
    where collection_rows.feed_id = feed.feed_id
    order by collection_rows.batch_number, collection_rows.position
    limit rows_left
  ) as first_rows
  order by first_rows.batch_number desc, first_rows.position desc
  limit 1;
  delete from collection_rows
  where collection_rows.feed_id = feed.feed_id
    and (collection_rows.batch_number, collection_rows.position)
      <= (last_row.batch_number, last_row.position);
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  select max(first_events.position) as position
  into last_row
  from (
    select stream_events.position
    from stream_events
    where stream_events.feed_id = feed.feed_id
    order by stream_events.position
    limit rows_left
  ) as first_events;
  delete from stream_events
  where stream_events.feed_id = feed.feed_id
    and stream_events.position <= last_row.position;
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  for index_id in
    select filter_indexes.filter_index_id
    from filter_indexes
    where filter_indexes.feed_id = feed.feed_id
    order by filter_indexes.filter_index_id
  loop
    rows_left := rows_left - remove_index_terms(index_id, rows_left);
  end loop;
  delete from pushes
  where pushes.push_id in (
    select history.push_id
    from pushes as history
    where history.feed_id = feed.feed_id
    limit rows_left
  );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  -- Pending requests can no longer be answered. Answered ones stay.
  delete from access_requests
  where access_requests.request_id in (
    select requests.request_id
    from access_requests as requests
    where requests.feed_id = feed.feed_id
      and requests.status = 'waiting'
    limit rows_left
  );
  get diagnostics removed = row_count;
  rows_left := rows_left - removed;
  if rows_left = 0 then
    return true;
  end if;

  delete from replaced_rows
  using filter_indexes
  where filter_indexes.feed_id = feed.feed_id
    and replaced_rows.filter_index_id = filter_indexes.filter_index_id;
  delete from filter_indexes
  where filter_indexes.feed_id = feed.feed_id;
  -- The next step of an import that is still running then finds that it has lost the feed.
  delete from imports
  where imports.feed_id = feed.feed_id;
  delete from batches
  where batches.feed_id = feed.feed_id;
  delete from row_totals
  where row_totals.feed_id = feed.feed_id;
  delete from push_windows
  where push_windows.feed_id = feed.feed_id;
  delete from push_mistakes
  where push_mistakes.feed_id = feed.feed_id;
  update feeds
  set emptied_at = moment,
    current_batch = null,
    description = null,
    readme_md = null,
    category = null,
    schema_definition = null,
    sample_response = null,
    update_frequency_text = null
  where feeds.feed_id = feed.feed_id;
  return true;
end
$$;
