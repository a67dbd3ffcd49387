-- Writes an admitted push: all of it or nothing. Called by push_to_feed.
--
-- It runs under the lock of the feed's row, which admit_push took. Under this lock, positions are assigned in commit
-- order, so a reader that follows a cursor never passes a row that is committed later. The lock also serializes the
-- pushes of one feed, so batches and row ids are decided as if pushes arrived one by one.
--
-- pushed_feed_id: null if the push was not admitted; nothing is then done or returned
-- pushed_type: the feed type that the push was checked against; a feed without a type gets this one
-- row_texts: compact JSON, one row per line (compact JSON contains no raw line feed); a row to be stamped with the time
--   of receipt lacks its closing brace
-- row_ids, event_times: parallel to the lines; event_times has null for a row to be stamped. Both are empty for a
--   document, and event_times is empty for a collection
-- is_dry_run: the push is written and rolled back, so the answer is what it would have been
-- body_bytes: size of the body, for the history
-- elapsed_ms: milliseconds that the push took before this statement, for the history
-- actor: see act_as
--
-- outcome: stored or batch_closed (nothing was written)
-- row_outcomes: one letter per row, in push order: i (inserted), u (updated), d (duplicate: the stream has the row, or
--   its batch was pushed before)
-- is_staged: whether the rows are in a batch that readers don't see yet
create or replace function write_push(
  pushed_feed_id uuid,
  pushed_type text,
  row_count int,
  row_texts text,
  row_ids text[],
  event_times timestamptz[],
  pushed_batch_id text,
  is_complete boolean,
  is_dry_run boolean,
  body_bytes bigint,
  elapsed_ms int,
  actor text,
  out outcome text,
  out status text,
  out row_outcomes text,
  out is_staged boolean,
  out last_sync_at timestamptz,
  out data_version bigint
)
language plpgsql
-- Every table is accessed by its key. Without these settings, a plan made while the tables were empty could scan them,
-- and be kept.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  feed record;
  batch_shown bigint;
  is_changed boolean;
  is_closed boolean := false;
  positions_used int := row_count;
  rows_inserted int;
  rows_updated int;
begin
  if pushed_feed_id is null then
    return;
  end if;
  if is_dry_run then
    begin
      select written.*
      into outcome, status, row_outcomes, is_staged, last_sync_at, data_version
      from write_push(
        pushed_feed_id, pushed_type, row_count, row_texts, row_ids, event_times, pushed_batch_id,
        is_complete, false, body_bytes, elapsed_ms, actor
      ) as written;
      raise sqlstate 'FG001';
    exception when sqlstate 'FG001' then
      -- All writes are undone here. The answer stays, because variables are not part of a transaction.
      return;
    end;
  end if;

  select feeds.data_version, feeds.next_position, feeds.current_batch
  into feed
  from feeds
  where feeds.feed_id = pushed_feed_id;

  -- Taken under the lock, so that rows stamped with it are in commit order.
  last_sync_at := clock_timestamp();
  batch_shown := feed.current_batch;
  is_staged := false;
  if pushed_type = 'singleton' then
    select pushed.outcomes, pushed.is_changed
    into row_outcomes, is_changed
    from push_document(pushed_feed_id, row_texts) as pushed;
    positions_used := (row_outcomes = 'i')::int;
  elsif pushed_type = 'stream' then
    row_outcomes := push_stream(
      pushed_feed_id, feed.next_position, last_sync_at, row_texts, row_ids, event_times
    );
    is_changed := row_outcomes like '%i%';
    positions_used := case when is_changed then row_count else 0 end;
  else
    select
      pushed.is_closed, pushed.outcomes, pushed.batch_shown, not pushed.is_shown, pushed.is_changed
    into is_closed, row_outcomes, batch_shown, is_staged, is_changed
    from push_collection(
      pushed_feed_id, feed.next_position, feed.current_batch, last_sync_at, row_count, row_texts,
      row_ids, pushed_batch_id, is_complete
    ) as pushed;
  end if;
  if is_closed then
    outcome := 'batch_closed';
    return;
  end if;

  outcome := 'stored';
  rows_inserted := row_count - length(replace(row_outcomes, 'i', ''));
  rows_updated := row_count - length(replace(row_outcomes, 'u', ''));
  data_version := feed.data_version + is_changed::int;
  status := note_stored_push(
    pushed_feed_id, pushed_type, last_sync_at, data_version, positions_used, batch_shown, row_count,
    rows_inserted, rows_updated, pushed_batch_id, body_bytes,
    (elapsed_ms + extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::int,
    actor
  );
end
$$;
