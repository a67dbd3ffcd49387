-- Removes rows of batches that were retired longer ago than the grace period, in which cursors may still read them. A
-- named batch stays without its rows, so that pushes to it are refused permanently.
create or replace function remove_retired_rows(
  moment timestamptz,
  grace interval,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  batch_limit constant int := 100;
  batch record;
  batches_done int := 0;
  rows_left int := row_limit;
  last_position bigint;
  removed int;
begin
  for batch in
    select batches.feed_id, batches.batch_number, batches.batch_id
    from batches
    where batches.status = 'retired'
      and batches.emptied_at is null
      and batches.retired_at <= moment - grace
    order by batches.retired_at
    limit batch_limit
  loop
    select max(first_rows.position)
    into last_position
    from (
      select collection_rows.position
      from collection_rows
      where collection_rows.feed_id = batch.feed_id
        and collection_rows.batch_number = batch.batch_number
      order by collection_rows.position
      limit rows_left
    ) as first_rows;
    delete from collection_rows
    where collection_rows.feed_id = batch.feed_id
      and collection_rows.batch_number = batch.batch_number
      and collection_rows.position <= last_position;
    get diagnostics removed = row_count;
    rows_left := rows_left - removed;
    exit when rows_left = 0;

    batches_done := batches_done + 1;
    delete from row_totals
    where row_totals.feed_id = batch.feed_id
      and row_totals.batch_number = batch.batch_number;
    if batch.batch_id is null then
      delete from batches
      where feed_id = batch.feed_id
        and batch_number = batch.batch_number;
    else
      update batches
      set emptied_at = moment
      where feed_id = batch.feed_id
        and batch_number = batch.batch_number;
    end if;
  end loop;
  return rows_left = 0 or batches_done = batch_limit;
end
$$;
