-- The rows of a batch at these positions, in the order of the array, like look_up_events for a collection.
--
-- Each is the first row at or after its position, so that only the key provides the requested order. A plan that was
-- made while the table was small used another index, and read the whole batch through it.
create or replace function look_up_rows(
  read_feed_id uuid,
  read_batch bigint,
  positions bigint[]
)
returns table (place bigint, row_position bigint, payload json)
language sql
stable
as $$
  select wanted.place, found_row.position, found_row.payload
  from unnest(positions) with ordinality as wanted (position, place)
  cross join lateral (
    select collection_rows.position, collection_rows.payload
    from collection_rows
    where collection_rows.feed_id = read_feed_id
      and collection_rows.batch_number = read_batch
      and collection_rows.position >= wanted.position
    order by collection_rows.position
    limit 1
  ) as found_row
  where found_row.position = wanted.position
$$;
