-- Removes rows of a batch for good, from the batch, its filter index and its totals. The caller holds the locks of
-- lock_rows. The positions are not given again.
create or replace function remove_collection_rows(
  emptied_feed uuid,
  emptied_batch bigint,
  positions bigint[]
)
returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  texts text[];
  indexed_texts text[];
  index_id integer;
begin
  select filter_indexes.filter_index_id
  into index_id
  from filter_indexes
  where filter_indexes.feed_id = emptied_feed
    and filter_indexes.batch_number = emptied_batch;
  -- A row that was replaced since is in the index as it was before.
  select
    array_agg(looked_up.payload::text order by looked_up.place),
    array_agg(coalesce(replaced.payload, looked_up.payload)::text order by looked_up.place)
  into texts, indexed_texts
  from look_up_rows(emptied_feed, emptied_batch, positions) as looked_up
  left join replaced_rows as replaced
    on replaced.filter_index_id = index_id
    and replaced.position = looked_up.row_position;
  if index_id is not null then
    perform remove_row_terms(
      index_id,
      array_fill('-infinity'::timestamptz, array[cardinality(positions)]),
      positions,
      indexed_texts
    );
    delete from replaced_rows
    where replaced_rows.filter_index_id = index_id
      and replaced_rows.position = any (positions);
  end if;
  delete from collection_rows
  where collection_rows.feed_id = emptied_feed
    and collection_rows.batch_number = emptied_batch
    and collection_rows.position = any (positions);
  perform add_row_totals(
    emptied_feed,
    emptied_batch,
    -cardinality(positions),
    -(select sum(octet_length(removed.payload)) from unnest(texts) as removed (payload))
  );
end
$$;
