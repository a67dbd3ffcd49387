-- Ends an import that did not come to its end: the feed is free for another, and what was staged is retired, so that a
-- job removes it. Rows that a stream has stay.
--
-- ended_import_id: null for whichever it is
-- is_ended: whether it was still there
create or replace function end_import(
  imported_feed_id uuid,
  ended_import_id uuid,
  moment timestamptz,
  out is_ended boolean
)
language plpgsql
as $$
declare
  staged bigint;
begin
  delete from imports
  where imports.feed_id = imported_feed_id
    and (ended_import_id is null or imports.import_id = ended_import_id)
  returning imports.batch_number into staged;
  is_ended := found;
  update batches
  set status = 'retired',
    retired_at = moment
  where batches.feed_id = imported_feed_id
    and batches.batch_number = staged
    and batches.status = 'open';
end
$$;
