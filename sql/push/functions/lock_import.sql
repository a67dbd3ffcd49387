-- Locks a feed for a step of an import, and decides whether the import may continue: by the feed's definition, the key,
-- the claim of the feed, and the staged batch. A step that is granted renews the claim.
--
-- standing: granted, stale (the feed's definition has changed), key_refused, lost (another import has the feed), or
--   batch_closed (another batch was completed since the import began, and readers see that one)
-- batch: the staged one; null for a stream
create or replace function lock_import(
  imported_feed_id uuid,
  running_import_id uuid,
  planned_version bigint,
  pusher_account_id uuid,
  pusher_key_id uuid,
  out standing text,
  out batch bigint
)
language plpgsql
as $$
declare
  feed record;
begin
  select feeds.definition_version, feeds.current_batch
  into feed
  from feeds
  where feeds.feed_id = imported_feed_id
  for no key update;
  if feed.definition_version <> planned_version then
    standing := 'stale';
    return;
  end if;
  if not may_push(pusher_account_id, pusher_key_id) then
    standing := 'key_refused';
    return;
  end if;
  update imports
  set renewed_at = clock_timestamp()
  where imports.feed_id = imported_feed_id
    and imports.import_id = running_import_id
  returning imports.batch_number into batch;
  standing := case
    when not found then 'lost'
    when batch is null then 'granted'
    -- Readers of a new feed also see its first open batch. It may have been started since, and stays open.
    when feed.current_batch > batch and exists (
      select from batches
      where batches.feed_id = imported_feed_id
        and batches.batch_number = feed.current_batch
        and batches.status = 'final'
    ) then 'batch_closed'
    when exists (
      select from batches
      where batches.feed_id = imported_feed_id
        and batches.batch_number = batch
        and batches.status = 'open'
    ) then 'granted'
    else 'batch_closed'
  end;
end
$$;
