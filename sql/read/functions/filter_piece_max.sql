-- The number of index entries in the next piece of a filtered read: four times as many as in the last one, up to a
-- limit. Most entries of a single filter are rows of the page, while several filters have few rows in common.
--
-- entries_max: of the last piece
-- rows_max: rows wanted
-- filter_count: filters of the read
create or replace function filter_piece_max(entries_max bigint, rows_max bigint, filter_count int)
returns bigint
language sql
immutable
parallel safe
as $$
  select least(4 * entries_max, greatest(case when filter_count = 1 then 1000 else 10000 end, rows_max))
$$;
