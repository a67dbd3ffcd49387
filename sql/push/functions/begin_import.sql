-- Admits an import as one push, and claims the feed for it. Only one import of a feed runs at a time. A collection's
-- rows are staged in a batch without a name, which only this import can address, and which readers don't see before it
-- ends.
--
-- If an import has not been renewed for longer than the lease, its process has died, and its claim is released. The
-- history gets an entry for it, and the job of retired batches removes its staged rows.
--
-- imported_type: the feed's type, which a first push sets
-- admission: as in admit_push, or running (counted: another import of the feed is running)
create or replace function begin_import(
  pushed_feed_id uuid, -- :feed_id
  pusher_account_id uuid, -- :account_id
  pusher_key_id uuid, -- :key_id
  planned_version bigint, -- :definition_version
  window_limit int, -- :window_limit
  window_us bigint, -- :window_us
  imported_type text, -- :feed_type
  new_import_id uuid, -- :import_id
  lease interval, -- :lease
  out admission text, -- :outcome
  out window_used int, -- :window_used?
  out reset_seconds bigint, -- :reset_seconds?
  out retry_after_ms int -- :retry_after_ms?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  moment timestamptz;
  batch bigint;
begin
  select admitted.admission, admitted.window_used, admitted.reset_seconds, admitted.retry_after_ms
  into admission, window_used, reset_seconds, retry_after_ms
  from admit_push(
    pushed_feed_id, pusher_account_id, pusher_key_id, planned_version, window_limit, window_us
  ) as admitted;
  if admission <> 'granted' then
    return;
  end if;

  moment := clock_timestamp();
  if exists (
    select from imports
    where imports.feed_id = pushed_feed_id
      and imports.renewed_at > moment - lease
  ) then
    admission := 'running';
    return;
  end if;
  perform end_import(pushed_feed_id, null, moment);

  if imported_type = 'collection' then
    insert into batches (feed_id, batch_number, batch_id, status, begun_at)
    select pushed_feed_id, coalesce(max(batches.batch_number), 0) + 1, null, 'open', moment
    from batches
    where batches.feed_id = pushed_feed_id
    returning batches.batch_number into batch;
  end if;
  insert into imports (
    feed_id, import_id, batch_number, begun_at, renewed_at, rows_received, rows_inserted, rows_duplicate,
    body_bytes
  )
  values (pushed_feed_id, new_import_id, batch, moment, moment, 0, 0, 0, 0);
end
$$;
