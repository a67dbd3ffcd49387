-- Puts rows into a batch of a collection, and may finalize it. Called by push_to_feed, under the feed's
-- lock; its parameters are told there.
--
-- The batch is the named one, or a whole new one where the push completes a batch without a name, or
-- the one that readers see. A row whose id the batch has replaces that row in its place; a text that is
-- there already is not written again.
--
-- is_closed: the batch takes no more rows, and nothing was written
-- batch_shown: the batch that readers see from now on
-- is_changed: whether readers see a change; to swap a batch in is one, even where its rows are the
--   same, since cursors belong to a batch
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
  out rows_inserted int,
  out rows_updated int,
  out batch_shown bigint,
  out is_changed boolean
)
language plpgsql
as $$
#variable_conflict use_column
declare
  target bigint;
  target_status text;
begin
  is_closed := false;
  is_changed := false;
  rows_inserted := 0;
  rows_updated := 0;
  batch_shown := batch_shown_before;

  if pushed_batch_id is not null then
    select batches.batch_number, batches.status
    into target, target_status
    from batches
    where batches.feed_id = pushed_feed_id
      and batches.batch_id = pushed_batch_id;
  elsif not is_complete then
    target := batch_shown_before;
  end if;

  if target_status in ('final', 'retired') then
    -- The chunk that finalized the batch readers see may come once more: it is there, to the letter.
    is_closed := target_status = 'retired' or not is_complete or row_count <> (
      select count(*)
      from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
        as pushed (row_text, row_id)
      where (
        select stored.payload::text = pushed.row_text
        from collection_rows as stored
        where stored.feed_id = pushed_feed_id
          and stored.batch_number = target
          and stored.row_id = pushed.row_id
      )
    );
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
    -- Without a name there is nothing to complete later: such a batch counts as finalized.
    insert into batches (feed_id, batch_number, batch_id, status, begun_at, finalized_at)
    values (
      pushed_feed_id, target, pushed_batch_id,
      case when pushed_batch_id is null then 'final' else 'open' end,
      moment,
      case when pushed_batch_id is null then moment end
    );
  end if;

  -- Under the feed's lock nobody else writes here, so a look tells new rows from known ones. "on conflict
  -- do update" alone would lock, and so write, every known row, and most providers push a whole table
  -- of which little has changed. The look is a subquery for a value, and not a join, because that can
  -- only be planned one way: by the key, however small the table was when the plan was made.
  insert into collection_rows (feed_id, batch_number, position, row_id, payload)
  select
    pushed_feed_id, target, first_position + pushed.place - 1, pushed.row_id, pushed.row_text::json
  from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
    with ordinality as pushed (row_text, row_id, place)
  where (
    select stored.position
    from collection_rows as stored
    where stored.feed_id = pushed_feed_id
      and stored.batch_number = target
      and stored.row_id = pushed.row_id
  ) is null
  order by pushed.place;
  get diagnostics rows_inserted = row_count;

  if rows_inserted < row_count then
    insert into collection_rows (feed_id, batch_number, position, row_id, payload)
    select
      pushed_feed_id, target, first_position + pushed.place - 1, pushed.row_id,
      pushed.row_text::json
    from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
      with ordinality as pushed (row_text, row_id, place)
    where (
      select stored.payload::text <> pushed.row_text
      from collection_rows as stored
      where stored.feed_id = pushed_feed_id
        and stored.batch_number = target
        and stored.row_id = pushed.row_id
    )
    order by pushed.place
    on conflict (feed_id, batch_number, row_id) do update
    set payload = excluded.payload;
    get diagnostics rows_updated = row_count;
  end if;

  if is_complete then
    -- No open batch was begun before the shown one: it is the oldest open one, or retired those before.
    update batches
    set status = case when batch_number = target then 'final' else 'retired' end,
      finalized_at = case when batch_number = target then moment else finalized_at end,
      retired_at = case when batch_number = target then null else moment end
    where feed_id = pushed_feed_id
      and batch_number between coalesce(batch_shown_before, target) and target;
    batch_shown := target;
  else
    batch_shown := coalesce(batch_shown_before, target);
  end if;
  is_changed := coalesce(batch_shown <> batch_shown_before, false)
    or (batch_shown = target and rows_inserted + rows_updated > 0);
end
$$;
