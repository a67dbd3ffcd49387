-- Records rows that are about to be replaced, if the batch's filter index contains them. If a row is replaced twice,
-- the first payload stays, because the index contains that one. Called by push_collection.
create or replace function note_replaced_rows(
  indexed_feed_id uuid,
  indexed_batch bigint,
  replaced_ids text[]
)
returns void
language plpgsql
as $$
declare
  index_id integer;
  indexed bigint;
  positions bigint[];
  texts text[];
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed
  from filter_indexes
  where filter_indexes.feed_id = indexed_feed_id
    and filter_indexes.batch_number = indexed_batch;
  if not found then
    return;
  end if;
  select array_agg(collection_rows.position), array_agg(collection_rows.payload::text)
  into positions, texts
  from collection_rows
  where collection_rows.feed_id = indexed_feed_id
    and collection_rows.batch_number = indexed_batch
    and collection_rows.row_id = any (replaced_ids)
    and collection_rows.position <= indexed;
  insert into replaced_rows (filter_index_id, position, payload)
  select index_id, replaced.position, replaced.payload::json
  from unnest(positions, texts) as replaced (position, payload)
  on conflict do nothing;
end
$$;
