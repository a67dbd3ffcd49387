-- Completes an import, as one push: readers of a collection see the staged batch from now on, and the history gets one
-- entry for all rows.
--
-- actor: see act_as
-- rows_inserted: the number of rows that a collection's staged batch must contain. A server that crashed may have lost
--   its last parts, because import_rows does not wait for the disk; the import is then lost.
--
-- outcome: stored, or the standing that lock_import found instead
create or replace function finish_import(
  imported_feed_id uuid, -- :feed_id
  running_import_id uuid, -- :import_id
  planned_version bigint, -- :definition_version
  pusher_account_id uuid, -- :account_id
  pusher_key_id uuid, -- :key_id
  imported_type text, -- :feed_type
  rows_received int, -- :rows_received
  rows_inserted int, -- :rows_inserted
  body_bytes bigint, -- :body_bytes
  elapsed_ms int, -- :elapsed_ms
  actor text, -- :actor
  out outcome text, -- :outcome
  out status text, -- :status?
  out last_sync_at timestamptz, -- :last_sync_at?
  out data_version bigint -- :data_version?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  batch bigint;
  feed record;
begin
  select locked.standing, locked.batch
  into outcome, batch
  from lock_import(
    imported_feed_id, running_import_id, planned_version, pusher_account_id, pusher_key_id
  ) as locked;
  if outcome <> 'granted' then
    return;
  end if;
  outcome := 'stored';
  select feeds.data_version, feeds.current_batch
  into feed
  from feeds
  where feeds.feed_id = imported_feed_id;
  last_sync_at := clock_timestamp();
  data_version := feed.data_version;
  if batch is not null then
    if finish_import.rows_inserted <> coalesce(
      (
        select row_totals.row_count
        from row_totals
        where row_totals.feed_id = imported_feed_id
          and row_totals.batch_number = batch
      ),
      0
    ) then
      outcome := 'lost';
      return;
    end if;
    perform finalize_batch(imported_feed_id, batch, feed.current_batch, last_sync_at, null);
    data_version := data_version + 1;
  end if;
  status := note_stored_push(
    imported_feed_id, imported_type, last_sync_at, data_version, 0,
    coalesce(batch, feed.current_batch), rows_received, rows_inserted, 0, null, body_bytes,
    elapsed_ms, actor
  );
  delete from imports
  where imports.feed_id = imported_feed_id;
end
$$;
