-- Records that rows of a batch were replaced or removed, so that earlier versions can no longer be exported. Called
-- under the feed's lock, before its data version moves.
create or replace function note_changed_rows(changed_feed_id uuid, changed_batch bigint)
returns void
language sql
as $$
  update row_totals
  set changed_version = feeds.data_version
  from feeds
  where feeds.feed_id = changed_feed_id
    and row_totals.feed_id = changed_feed_id
    and row_totals.batch_number = changed_batch
$$;
