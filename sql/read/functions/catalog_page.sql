-- The feeds of a page of the catalog. It is a function so that its plan is kept. Otherwise PostgreSQL plans it for each
-- call, because with 100,000 feeds a page seems cheaper than with a generic plan, and planning takes longer than the page.
--
-- A page near the beginning is counted from the newest feed, and any other from the last block that begins before it. A
-- block has at most 512 feeds (fold_listing), so no page walks over more.
create or replace function catalog_page(rows_max int, rows_skipped int)
returns table (listed_at timestamptz, feed_id uuid)
language plpgsql
stable
rows 20
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  block_feeds_max constant int := 512;
  -- The place at which counting begins, and the number of feeds before it.
  first_at timestamptz := 'infinity';
  first_id uuid := '00000000-0000-0000-0000-000000000000';
  feeds_before int := 0;
begin
  if rows_skipped > block_feeds_max then
    select starts_at, starts_with, blocks.feeds_before
    into first_at, first_id, feeds_before
    from (
      select
        starts_at,
        starts_with,
        sum(feeds) over (order by starts_at desc, starts_with rows unbounded preceding) - feeds
          as feeds_before
      from catalog_blocks
    ) as blocks
    where blocks.feeds_before <= rows_skipped
    order by starts_at, starts_with desc
    limit 1;
  end if;

  -- The rest of the instant at which the block begins, then everything older: two ordered scans, because time descends
  -- and ids ascend. Without the limits, PostgreSQL expects to skip a tenth of all feeds. If many of them were pushed to
  -- since the last vacuum, it would then read and sort all.
  return query
    (
      select listed_at, feed_id
      from feeds
      where listed_at is not null
        and listed_at = first_at
        and feed_id >= first_id
      order by listed_at desc, feed_id
      limit rows_max + block_feeds_max
    )
    union all
    (
      select listed_at, feed_id
      from feeds
      where listed_at is not null
        and listed_at < first_at
      order by listed_at desc, feed_id
      limit rows_max + block_feeds_max
    )
    order by listed_at desc, feed_id
    limit rows_max
    offset rows_skipped - feeds_before;
end
$$;
