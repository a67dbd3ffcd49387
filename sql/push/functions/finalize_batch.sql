-- Makes a batch the one that readers of a collection see. Retires the previous one, and every open batch that was
-- started before it. Called under the feed's lock.
--
-- No open batch is older than the visible one, which is either the oldest open one with a name, or has retired earlier
-- ones. Only an import's batch may be older than the visible one, which then stays open.
--
-- ids: MD5 of the row ids of the push that finalizes it, which identifies a retry of that push; null for an import
create or replace function finalize_batch(
  finalized_feed uuid,
  target bigint,
  batch_shown_before bigint,
  moment timestamptz,
  ids text
)
returns void
language plpgsql
as $$
#variable_conflict use_column
begin
  update batches
  set status = case when batch_number = target then 'final' else 'retired' end,
    finalized_at = case when batch_number = target then moment else finalized_at end,
    finalizing_ids = case when batch_number = target then ids else batches.finalizing_ids end,
    retired_at = case when batch_number = target then null else moment end
  where feed_id = finalized_feed
    and batch_number between least(batch_shown_before, target) and target;
end
$$;
