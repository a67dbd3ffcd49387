-- Permanently removes rows from a batch or a stream, its filter index, and its totals. The caller must hold the locks
-- of lock_rows. The positions are not reused.
--
-- emptied_batch: 0 for a stream
-- removed_ids: the ids that existed
create or replace function remove_rows(
  emptied_feed uuid,
  emptied_batch bigint,
  ids text[],
  out removed_ids text[]
)
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  times timestamptz[];
  positions bigint[];
  texts text[];
  indexed_texts text[];
  index_id integer;
begin
  if emptied_batch = 0 then
    with removed as (
      delete from stream_events
      where stream_events.feed_id = emptied_feed
        and stream_events.row_id = any (ids)
      returning row_id, event_at, position, payload::text
    )
    select
      array_agg(removed.row_id), array_agg(removed.event_at), array_agg(removed.position),
      array_agg(removed.payload)
    into removed_ids, times, positions, texts
    from removed;
  else
    with removed as (
      delete from collection_rows
      where collection_rows.feed_id = emptied_feed
        and collection_rows.batch_number = emptied_batch
        and collection_rows.row_id = any (ids)
      returning row_id, position, payload::text
    )
    select
      array_agg(removed.row_id), array_agg('-infinity'::timestamptz), array_agg(removed.position),
      array_agg(removed.payload)
    into removed_ids, times, positions, texts
    from removed;
  end if;
  if removed_ids is null then
    return;
  end if;

  select filter_indexes.filter_index_id
  into index_id
  from filter_indexes
  where filter_indexes.feed_id = emptied_feed
    and filter_indexes.batch_number = emptied_batch;
  if found then
    -- If a row was replaced since, the index contains its previous version.
    select array_agg(coalesce(replaced.payload::text, stored.payload) order by stored.place)
    into indexed_texts
    from unnest(positions, texts) with ordinality as stored (position, payload, place)
    left join replaced_rows as replaced
      on replaced.filter_index_id = index_id
      and replaced.position = stored.position;
    perform remove_row_terms(index_id, times, positions, indexed_texts);
    delete from replaced_rows
    where replaced_rows.filter_index_id = index_id
      and replaced_rows.position = any (positions);
  end if;
  perform add_row_totals(
    emptied_feed,
    emptied_batch,
    -cardinality(positions),
    -(select sum(octet_length(removed.payload)) from unnest(texts) as removed (payload))
  );
  perform note_changed_rows(emptied_feed, emptied_batch);
end
$$;
