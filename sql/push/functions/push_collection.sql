-- Puts rows into a batch of a collection, and may finalize it. Called under the feed's lock by write_push, which
-- describes the parameters.
--
-- The batch is the named one. Without a name, it is a new one if the push completes it, else the one that readers see.
-- A row whose id is in the batch replaces that row in place. A text that is unchanged is not written again. A push
-- whose rows are exactly the finalized batch that readers see is a retry: it writes nothing.
--
-- Most pushes contain only new rows, so that is tried first, as in push_stream.
--
-- outcomes: one letter per row, in push order: i (inserted), u (updated, even with the same text), or d (duplicate) for
--   each row of a retry
-- is_closed: the batch is closed, and nothing was written
-- batch_shown: the batch that readers see from now on
-- is_shown: whether that is the batch that the rows went into
-- is_changed: whether readers see a change; swapping in a named batch is one, even if its rows are the same, because
--   cursors belong to a batch
create or replace function push_collection(
  pushed_feed_id uuid,
  first_position bigint,
  batch_shown_before bigint,
  moment timestamptz,
  row_count int,
  row_texts text,
  row_ids text[],
  pushed_batch_id text,
  is_complete boolean,
  out is_closed boolean,
  out outcomes text,
  out batch_shown bigint,
  out is_shown boolean,
  out is_changed boolean
)
language plpgsql
as $$
#variable_conflict use_column
declare
  target bigint;
  target_status text;
  ids_pushed constant text := md5(row_ids::text);
  finalizing_ids text;
  is_looked_up boolean;
  rows_added bigint;
  bytes_added bigint;
  bytes_replaced bigint := 0;
begin
  is_closed := false;
  is_changed := false;
  batch_shown := batch_shown_before;

  if pushed_batch_id is not null then
    select batches.batch_number, batches.status, batches.finalizing_ids
    into target, target_status, finalizing_ids
    from batches
    where batches.feed_id = pushed_feed_id
      and batches.batch_id = pushed_batch_id;
  elsif not is_complete then
    target := batch_shown_before;
  -- If a batch is open, pushing the same rows again changes something: finalizing a batch retires earlier ones.
  elsif batch_shown_before is not null and not exists (
    select from batches
    where batches.feed_id = pushed_feed_id
      and batches.status = 'open'
  ) and row_texts = (
    select coalesce(string_agg(shown.payload::text, E'\n' order by shown.position), '')
    from (
      select collection_rows.position, collection_rows.payload
      from collection_rows
      where collection_rows.feed_id = pushed_feed_id
        and collection_rows.batch_number = batch_shown_before
      order by collection_rows.position
      limit row_count + 1
    ) as shown
  ) then
    outcomes := repeat('d', row_count);
    is_shown := true;
    return;
  end if;

  if target_status = 'retired'
    or (target_status = 'final' and (not is_complete or finalizing_ids <> ids_pushed))
  then
    is_closed := true;
    return;
  end if;

  if target is null then
    select coalesce(
      (
        select batches.batch_number
        from batches
        where batches.feed_id = pushed_feed_id
        order by batches.batch_number desc
        limit 1
      ),
      0
    ) + 1
    into target;
    -- Without a name, the batch can't be completed later, so it counts as finalized.
    insert into batches (feed_id, batch_number, batch_id, status, begun_at, finalized_at)
    values (
      pushed_feed_id, target, pushed_batch_id,
      case when pushed_batch_id is null then 'final' else 'open' end,
      moment,
      case when pushed_batch_id is null then moment end
    );
  end if;

  if target_status = 'open' and not is_complete then
    update batches
    set pushed_at = moment
    where batches.feed_id = pushed_feed_id
      and batches.batch_number = target;
  end if;

  -- If a provider repeats itself, usually its first or last row is known.
  is_looked_up := coalesce(target_status = 'final', false) or exists (
    select
    from unnest(array[row_ids[1], row_ids[row_count]]) as edge (row_id)
    where (
      select stored.position
      from collection_rows as stored
      where stored.feed_id = pushed_feed_id
        and stored.batch_number = target
        and stored.row_id = edge.row_id
    ) is not null
  );

  loop
    outcomes := repeat('i', row_count);
    if is_looked_up then
      -- A subquery instead of a join, because it has only one possible plan: by the key, however small the table was
      -- when the plan was made.
      select coalesce(string_agg(
        coalesce((
          select case when stored.payload::text = pushed.row_text then 'd' else 'u' end
          from collection_rows as stored
          where stored.feed_id = pushed_feed_id
            and stored.batch_number = target
            and stored.row_id = pushed.row_id
        ), 'i'),
        '' order by pushed.place
      ), '')
      into outcomes
      from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
        with ordinality as pushed (row_text, row_id, place);
    end if;
    if target_status = 'final' then
      -- The chunk that finalized the batch may be repeated, if it is there exactly.
      is_closed := outcomes like '%i%' or outcomes like '%u%';
      is_shown := target = batch_shown;
      return;
    end if;
    begin
      with added as (
        insert into collection_rows (feed_id, batch_number, position, row_id, payload)
        select
          pushed_feed_id, target, first_position + pushed.place - 1, pushed.row_id,
          pushed.row_text::json
        from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
          with ordinality as pushed (row_text, row_id, place)
        where not is_looked_up or substr(outcomes, pushed.place::int, 1) = 'i'
        returning octet_length(payload::text) as payload_bytes
      )
      select count(*), coalesce(sum(added.payload_bytes), 0)
      into rows_added, bytes_added
      from added;
      exit;
    exception when unique_violation then
      if is_looked_up then
        raise;
      end if;
      is_looked_up := true;
    end;
  end loop;

  -- Runs "on conflict" only for rows that differ. It locks, and so writes, every row that it meets, and most providers
  -- that repeat themselves push a whole table with few changes.
  if outcomes like '%u%' then
    select sum(octet_length(pushed.row_text) - (
      select octet_length(stored.payload::text)
      from collection_rows as stored
      where stored.feed_id = pushed_feed_id
        and stored.batch_number = target
        and stored.row_id = pushed.row_id
    ))
    into bytes_replaced
    from rows from (
      string_to_table(row_texts, E'\n'), unnest(row_ids), string_to_table(outcomes, null)
    ) as pushed (row_text, row_id, outcome)
    where pushed.outcome = 'u';
    perform note_replaced_rows(
      pushed_feed_id,
      target,
      array(
        select pushed.row_id
        from rows from (unnest(row_ids), string_to_table(outcomes, null)) as pushed (row_id, outcome)
        where pushed.outcome = 'u'
      )
    );
    insert into collection_rows (feed_id, batch_number, position, row_id, payload)
    select
      pushed_feed_id, target, first_position + pushed.place - 1, pushed.row_id, pushed.row_text::json
    from rows from (
      string_to_table(row_texts, E'\n'), unnest(row_ids), string_to_table(outcomes, null)
    ) with ordinality as pushed (row_text, row_id, outcome, place)
    where pushed.outcome = 'u'
    order by pushed.place
    on conflict (feed_id, batch_number, row_id) do update
    set payload = excluded.payload;
  end if;

  perform add_row_totals(pushed_feed_id, target, rows_added, bytes_added + bytes_replaced);
  if outcomes like '%u%' then
    perform note_changed_rows(pushed_feed_id, target);
  end if;

  if is_complete then
    perform finalize_batch(pushed_feed_id, target, batch_shown_before, moment, ids_pushed);
    batch_shown := target;
  else
    batch_shown := coalesce(batch_shown_before, target);
  end if;
  is_shown := batch_shown = target;
  is_changed := coalesce(batch_shown <> batch_shown_before, false)
    or (is_shown and outcomes ~ '[iu]');
  -- A row with the same text counts as replaced, although it was not written.
  outcomes := translate(outcomes, 'd', 'u');
end
$$;
