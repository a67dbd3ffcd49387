-- How much a filtered read of a batch (zero: of a stream) may scan: all rows of a small one, so that it can be answered
-- without an index. Work is counted in bytes, plus filter_row_cost per row.
--
-- work_max: of a large one
-- whole_max: the most that a small one has
create or replace function filter_work_max(
  read_feed_id uuid,
  read_batch bigint,
  work_max bigint,
  whole_max bigint
)
returns bigint
language sql
stable
as $$
  select case
    when filter_row_cost() * totals.row_count + totals.payload_bytes <= whole_max then whole_max
    else work_max
  end
  from (
    select
      coalesce(max(row_totals.row_count), 0) as row_count,
      coalesce(max(row_totals.payload_bytes), 0) as payload_bytes
    from row_totals
    where row_totals.feed_id = read_feed_id
      and row_totals.batch_number = read_batch
  ) as totals
$$;
