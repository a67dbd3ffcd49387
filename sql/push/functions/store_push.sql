-- One push, whole: all of it or nothing, in one statement and one commit.
--
-- It is a function because its steps have an order. admit_push locks the feed's row, and only then, with a
-- fresh snapshot, does write_push read anything. Under that lock positions are given out in the order of
-- commit: a reader that follows a cursor never passes a row that is committed later. The lock also makes
-- the pushes of one feed follow each other, so batches and row ids are decided as if they came one by one.
--
-- planned_version, pusher_account_id, pusher_key_id, window_limit, window_us: as admit_push takes them
-- is_dry_run: the push is counted, then written and rolled back, so the answer is what it would have been
-- the others: as write_push takes them
--
-- outcome: stored, batch_closed, or that of admit_push if the push is not granted
-- window_used, reset_seconds, retry_after_ms: as admit_push returns them
-- the others: as write_push returns them
create or replace function store_push(
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
  out outcome text,
  out status text,
  out row_outcomes text,
  out last_sync_at timestamptz,
  out data_version bigint,
  out window_used int,
  out reset_seconds bigint,
  out retry_after_ms int
)
language plpgsql
as $$
begin
  select admitted.admission, admitted.window_used, admitted.reset_seconds, admitted.retry_after_ms
  into outcome, window_used, reset_seconds, retry_after_ms
  from admit_push(
    pushed_feed_id, pusher_account_id, pusher_key_id, planned_version, window_limit, window_us
  ) as admitted;
  if outcome <> 'granted' then
    return;
  end if;

  if is_dry_run then
    begin
      select written.*
      into outcome, status, row_outcomes, last_sync_at, data_version
      from write_push(
        pushed_feed_id, pushed_type, row_count, row_texts, row_ids, event_times, pushed_batch_id,
        is_complete, body_bytes, elapsed_ms, pusher_key_id
      ) as written;
      raise sqlstate 'FG001';
    exception when sqlstate 'FG001' then
      -- Every write is undone here. The answer stays, because variables are not part of a transaction.
    end;
  else
    select written.*
    into outcome, status, row_outcomes, last_sync_at, data_version
    from write_push(
      pushed_feed_id, pushed_type, row_count, row_texts, row_ids, event_times, pushed_batch_id,
      is_complete, body_bytes, elapsed_ms, pusher_key_id
    ) as written;
  end if;
end
$$;
