-- One push, whole: all of it or nothing, in one statement and one commit.
--
-- Why a function: the feed's row is locked first (by admit_push, where the push is not yet admitted), and
-- only then, with a fresh snapshot, is anything read. Under that lock positions are given out, so they
-- are commit-ordered: a reader that follows a cursor never passes a row that was committed late. It also
-- makes the pushes of one feed take turns, so that batches and row ids are decided as if they had come
-- one by one.
--
-- pushed_type: the model by which the push was planned; where the feed has none yet, it becomes the feed's
-- planned_version: definition_version by which the push was planned and checked; where the feed has
--   another by now, nothing is stored and the outcome is stale
-- row_texts: compact JSON, one row a line (compact JSON holds no raw line feed); of a row that is to be
--   stamped with the time of receipt, all but the closing brace
-- row_ids, event_times: parallel to the lines; event_times holds null where a row is to be stamped.
--   Both are empty for a document, event_times also for a collection
-- is_dry_run: the same push, rolled back: it stores nothing and answers as the push would have
-- elapsed_ms: milliseconds that the push had taken before this call, for the history
-- pusher_account_id, pusher_key_id, window_limit, window_us: as admit_push takes them
-- is_admitted: the push was counted by an earlier call, and its key was good
--
-- Outcomes: stored, stale (read the feed anew and plan again), batch_closed; and those of admit_push,
-- limited and key_refused. All but these two have counted the push in the feed's window, which
-- window_used, frees_in_us and oldest_us tell of, as in admit_push, unless it was admitted before.
-- row_outcomes: what happened to each row, a letter each in the order of the push: i (inserted),
--   u (updated), d (duplicate: a stream's row that was there, or one of a batch that came once more)
create or replace function push_to_feed(
  pushed_feed_id uuid,
  pushed_type text,
  planned_version bigint,
  row_count int,
  row_texts text,
  row_ids text[],
  event_times timestamptz[],
  pushed_batch_id text,
  is_complete boolean,
  is_dry_run boolean,
  body_bytes bigint,
  elapsed_ms int,
  pusher_account_id uuid,
  pusher_key_id uuid,
  window_limit int,
  window_us bigint,
  is_admitted boolean
)
returns table (
  outcome text,
  status text,
  rows_inserted int,
  rows_updated int,
  rows_duplicate int,
  row_outcomes text,
  last_sync_at timestamptz,
  data_version bigint,
  window_used int,
  frees_in_us bigint,
  oldest_us bigint
)
language plpgsql
-- Every table is reached by its key; without these a plan made while the tables were empty could scan
-- them, and be kept.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  begun_at constant timestamptz := clock_timestamp();
  feed record;
  batch_shown bigint;
  is_changed boolean;
  is_closed boolean := false;
  positions_used int := row_count;
begin
  if not is_admitted then
    select admitted.admission, admitted.window_used, admitted.frees_in_us, admitted.oldest_us
    into outcome, window_used, frees_in_us, oldest_us
    from admit_push(
      pushed_feed_id, pusher_account_id, pusher_key_id, window_limit, window_us
    ) as admitted;
    if outcome <> 'granted' then
      return next;
      return;
    end if;
  end if;

  if is_dry_run then
    begin
      select
        pushed.outcome, pushed.status, pushed.rows_inserted, pushed.rows_updated,
        pushed.rows_duplicate, pushed.row_outcomes, pushed.last_sync_at, pushed.data_version
      into
        outcome, status, rows_inserted, rows_updated, rows_duplicate, row_outcomes, last_sync_at,
        data_version
      from push_to_feed(
        pushed_feed_id, pushed_type, planned_version, row_count, row_texts, row_ids, event_times,
        pushed_batch_id, is_complete, false, body_bytes, elapsed_ms, pusher_account_id,
        pusher_key_id, window_limit, window_us, true
      ) as pushed;
      raise sqlstate 'FG001';
    exception when sqlstate 'FG001' then
      -- Every write is undone here; the answer stays, since variables are no part of a transaction.
      return next;
      return;
    end;
  end if;

  select
    feeds.feed_type, feeds.status, feeds.first_pushed_at, feeds.definition_version,
    feeds.data_version, feeds.next_position, feeds.current_batch
  into feed
  from feeds
  where feeds.feed_id = pushed_feed_id
  for no key update;

  status := feed.status;
  if feed.definition_version is distinct from planned_version then
    outcome := 'stale';
    return next;
    return;
  end if;

  -- Taken under the lock: what is stamped with it is in order of commit.
  last_sync_at := clock_timestamp();
  batch_shown := feed.current_batch;
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
    select pushed.is_closed, pushed.outcomes, pushed.batch_shown, pushed.is_changed
    into is_closed, row_outcomes, batch_shown, is_changed
    from push_collection(
      pushed_feed_id, feed.next_position, feed.current_batch, last_sync_at, row_count, row_texts,
      row_ids, pushed_batch_id, is_complete
    ) as pushed;
  end if;
  if is_closed then
    outcome := 'batch_closed';
    return next;
    return;
  end if;

  outcome := 'stored';
  rows_inserted := row_count - length(replace(row_outcomes, 'i', ''));
  rows_updated := row_count - length(replace(row_outcomes, 'u', ''));
  rows_duplicate := row_count - rows_inserted - rows_updated;
  data_version := feed.data_version + is_changed::int;
  update feeds
  set last_sync_at = push_to_feed.last_sync_at,
    push_count = feeds.push_count + 1,
    data_version = push_to_feed.data_version,
    next_position = feeds.next_position + positions_used,
    current_batch = batch_shown
  where feeds.feed_id = pushed_feed_id;

  -- Apart from the update above, because the catalog and the search words are worked out anew at any
  -- update that names the status.
  if feed.first_pushed_at is null or feed.feed_type is null then
    status := case when feed.first_pushed_at is null then 'active' else feed.status end;
    -- Who it was, for the audit trail; in this transaction only.
    perform set_config('feedgate.actor', 'key ' || pusher_key_id, true);
    update feeds
    set feed_type = pushed_type,
      status = push_to_feed.status,
      first_pushed_at = coalesce(feeds.first_pushed_at, push_to_feed.last_sync_at),
      definition_version = feeds.definition_version + 1
    where feeds.feed_id = pushed_feed_id;
  end if;

  insert into pushes (
    feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated, rows_duplicate,
    body_bytes, duration_ms
  )
  values (
    pushed_feed_id, last_sync_at, true, row_count, rows_inserted, rows_updated, rows_duplicate,
    push_to_feed.body_bytes,
    elapsed_ms + extract(epoch from clock_timestamp() - begun_at) * 1000
  );
  return next;
end
$$;
