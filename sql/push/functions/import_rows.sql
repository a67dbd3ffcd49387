-- Stores a part of an import, in one commit: events of a stream like push_stream, rows of a collection in its staged
-- batch.
--
-- row_texts, row_ids, event_times: as of write_push; no id comes twice in them
-- part_rows: the number of the file's rows that the part represents, including those with repeated ids
-- body_bytes: of the file, so far
--
-- outcome: stored, or the standing that lock_import found instead
-- rows_inserted: new rows; a stream skips the others
-- repeated_ids: ids that a collection's staged batch already contains; their rows were not stored
-- data_version: the feed's new version
create or replace function import_rows(
  imported_feed_id uuid,
  running_import_id uuid,
  planned_version bigint,
  pusher_account_id uuid,
  pusher_key_id uuid,
  row_texts text,
  row_ids text[],
  event_times timestamptz[],
  part_rows int,
  body_bytes bigint,
  out outcome text,
  out rows_inserted int,
  out repeated_ids text[],
  out data_version bigint
)
language plpgsql
-- As in write_push.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  batch bigint;
  first_position bigint;
  outcomes text;
  bytes_added bigint;
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
  select feeds.next_position, feeds.data_version
  into first_position, data_version
  from feeds
  where feeds.feed_id = imported_feed_id;

  if batch is null then
    outcomes := push_stream(
      imported_feed_id, first_position, clock_timestamp(), row_texts, row_ids, event_times
    );
    rows_inserted := length(replace(outcomes, 'd', ''));
    data_version := data_version + (rows_inserted > 0)::int;
  else
    -- The batch has no readers yet, so its parts need not wait for the disk. The commit of finish_import, which counts
    -- the rows, does so for all of them.
    perform set_config('synchronous_commit', 'off', true);
    begin
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select
        imported_feed_id, batch, first_position + pushed.place - 1, pushed.row_id,
        pushed.row_text::json
      from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
        with ordinality as pushed (row_text, row_id, place);
      get diagnostics rows_inserted = row_count;
      -- Except for the line feeds between them, the rows are stored as they were sent.
      bytes_added := octet_length(row_texts) - (rows_inserted - 1);
    exception when unique_violation then
      select array_agg(pushed.row_id)
      into repeated_ids
      from unnest(row_ids) as pushed (row_id)
      where (
        select stored.position
        from collection_rows as stored
        where stored.feed_id = imported_feed_id
          and stored.batch_number = batch
          and stored.row_id = pushed.row_id
      ) is not null;
      if repeated_ids is null then
        raise;
      end if;
      rows_inserted := 0;
    end;
    if rows_inserted > 0 then
      perform add_row_totals(imported_feed_id, batch, rows_inserted, bytes_added);
    end if;
  end if;
  if repeated_ids is null then
    update imports
    set rows_received = imports.rows_received + part_rows,
      rows_inserted = imports.rows_inserted + import_rows.rows_inserted,
      rows_duplicate = imports.rows_duplicate
        + case when batch is null then part_rows - import_rows.rows_inserted else 0 end,
      body_bytes = import_rows.body_bytes
    where imports.feed_id = imported_feed_id;
  end if;
  if rows_inserted > 0 then
    update feeds
    set data_version = import_rows.data_version,
      next_position = feeds.next_position + cardinality(row_ids)
    where feeds.feed_id = imported_feed_id;
  end if;
end
$$;
