-- Whether rows that are to become a whole new batch are the batch that readers see, to the letter and in
-- its order. Called by push_collection, under the feed's lock.
--
-- Why: a provider that pushes the same table again, or retries a push whose answer was lost, changes nothing for
-- readers. If a batch is open, it does, because to finalize a batch retires those that began before it.
--
-- pushed_feed_id, row_count, row_texts, row_ids: as write_push takes them
-- batch_shown: the batch that readers see; null if there is none
create or replace function is_shown_batch(
  pushed_feed_id uuid,
  batch_shown bigint,
  row_count int,
  row_texts text,
  row_ids text[]
)
returns boolean
language plpgsql
stable
as $$
#variable_conflict use_column
declare
  rows_shown bigint;
begin
  if batch_shown is null or exists (
    select from batches
    where batches.feed_id = pushed_feed_id
      and batches.status = 'open'
  ) then
    return false;
  end if;
  -- A statement of its own: where rows are distributed, batches are not.
  select count(*)
  into rows_shown
  from (
    select
    from collection_rows
    where collection_rows.feed_id = pushed_feed_id
      and collection_rows.batch_number = batch_shown
    limit row_count + 1
  ) as counted;
  if rows_shown <> row_count then
    return false;
  end if;
  -- A subquery for a value, as in push_collection: it is planned by the key, whatever the table's size.
  return (
    select coalesce(bool_and(coalesce(found.position > found.position_before, false)), true)
    from (
      select looked_up.position, lag(looked_up.position, 1, 0) over (order by looked_up.place)
        as position_before
      from (
        select
          pushed.place,
          (
            select case when stored.payload::text = pushed.row_text then stored.position end
            from collection_rows as stored
            where stored.feed_id = pushed_feed_id
              and stored.batch_number = batch_shown
              and stored.row_id = pushed.row_id
          ) as position
        from rows from (string_to_table(row_texts, E'\n'), unnest(row_ids))
          with ordinality as pushed (row_text, row_id, place)
      ) as looked_up
    ) as found
  );
end
$$;
