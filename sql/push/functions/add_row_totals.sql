-- Updates a feed's number of rows, and the bytes of their payloads. Called under the feed's lock by functions that
-- write or remove rows.
--
-- counted_batch: the batch of a collection; 0 for a singleton or a stream
-- rows_added, bytes_added: negative if rows were removed
create or replace function add_row_totals(
  counted_feed_id uuid,
  counted_batch bigint,
  rows_added bigint,
  bytes_added bigint
)
returns void
language plpgsql
as $$
begin
  update row_totals
  set row_count = row_count + rows_added,
    payload_bytes = payload_bytes + bytes_added
  where feed_id = counted_feed_id
    and batch_number = counted_batch;
  -- Not an upsert: the constraint would refuse the inserted row if the amount is negative.
  if not found then
    insert into row_totals (feed_id, batch_number, row_count, payload_bytes)
    values (counted_feed_id, counted_batch, rows_added, bytes_added);
  end if;
end
$$;
