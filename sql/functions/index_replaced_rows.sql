-- Takes rows that are about to be replaced out of the batch's filter index, or puts those that have been
-- into it. For distributed rows: elsewhere a trigger does it.
create or replace function index_replaced_rows(
  indexed_feed_id uuid,
  indexed_batch bigint,
  replaced_ids text[],
  is_replaced boolean
)
returns void
language plpgsql
as $$
declare
  index_id integer;
  indexed_position bigint;
  terms integer[];
  positions bigint[];
begin
  select filter_indexes.filter_index_id, filter_indexes.indexed_position
  into index_id, indexed_position
  from filter_indexes
  where filter_indexes.feed_id = indexed_feed_id
    and filter_indexes.batch_number = indexed_batch;
  if not found then
    return;
  end if;
  select array_agg(row_terms.term), array_agg(collection_rows.position)
  into terms, positions
  from collection_rows
  cross join lateral row_terms(collection_rows.payload) as row_terms (term)
  where collection_rows.feed_id = indexed_feed_id
    and collection_rows.batch_number = indexed_batch
    and collection_rows.row_id = any (replaced_ids)
    and collection_rows.position <= indexed_position;
  if is_replaced then
    insert into filter_terms (filter_index_id, term, event_at, position)
    select index_id, entries.term, '-infinity', entries.position
    from unnest(terms, positions) as entries (term, position)
    order by entries.term, entries.position;
  else
    delete from filter_terms
    using unnest(terms, positions) as entries (term, position)
    where filter_terms.filter_index_id = index_id
      and filter_terms.term = entries.term
      and filter_terms.event_at = '-infinity'
      and filter_terms.position = entries.position;
  end if;
end
$$;
