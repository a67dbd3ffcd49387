-- Records a stored push: in the feed's row, which the first push activates, and in the history. Called under the feed's
-- lock by the function that has written the rows.
--
-- batch_shown: the batch that readers see from now on
-- duration_ms: duration of the push
-- actor: see act_as
-- status: the feed's new status
create or replace function note_stored_push(
  pushed_feed_id uuid,
  pushed_type text,
  moment timestamptz,
  version bigint,
  positions_used int,
  batch_shown bigint,
  rows_received int,
  rows_inserted int,
  rows_updated int,
  pushed_batch_id text,
  body_bytes bigint,
  duration_ms int,
  actor text,
  out status text
)
language plpgsql
as $$
#variable_conflict use_column
declare
  feed record;
begin
  select feeds.feed_type, feeds.status, feeds.first_pushed_at
  into feed
  from feeds
  where feeds.feed_id = pushed_feed_id;
  status := feed.status;

  update feeds
  set last_sync_at = moment,
    push_count = feeds.push_count + 1,
    data_version = version,
    next_position = feeds.next_position + positions_used,
    current_batch = batch_shown
  where feeds.feed_id = pushed_feed_id;

  -- Separate from the update above, because an update of the status recomputes the catalog and the search words.
  if feed.first_pushed_at is null or feed.feed_type is null then
    status := case when feed.first_pushed_at is null then 'active' else feed.status end;
    perform act_as(actor);
    update feeds
    set feed_type = pushed_type,
      status = note_stored_push.status,
      first_pushed_at = coalesce(feeds.first_pushed_at, moment),
      definition_version = feeds.definition_version + 1
    where feeds.feed_id = pushed_feed_id;
  end if;

  insert into pushes (
    feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated, rows_duplicate,
    batch_id, body_bytes, duration_ms
  )
  values (
    pushed_feed_id, moment, true, rows_received, rows_inserted, rows_updated,
    rows_received - rows_inserted - rows_updated, pushed_batch_id, body_bytes, duration_ms
  );
end
$$;
