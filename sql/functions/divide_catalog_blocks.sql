-- Divides every catalog block of more than feeds_max feeds into blocks of half of that.
create or replace function divide_catalog_blocks(feeds_max integer)
returns void
language sql
as $$
  with blocks as (
    select
      starts_at,
      starts_with,
      feeds,
      lead(starts_at) over in_order as next_at,
      lead(starts_with) over in_order as next_with
    from catalog_blocks
    window in_order as (order by starts_at desc, starts_with)
  ),
  long_blocks as (
    delete from catalog_blocks
    using blocks
    where blocks.feeds > feeds_max
      and catalog_blocks.starts_at = blocks.starts_at
      and catalog_blocks.starts_with = blocks.starts_with
    returning blocks.*
  ),
  places as (
    select
      long_blocks.starts_at,
      long_blocks.starts_with,
      members.listed_at,
      members.feed_id,
      members.place
    from long_blocks
    cross join lateral (
      select
        feeds.listed_at,
        feeds.feed_id,
        row_number() over (order by feeds.listed_at desc, feeds.feed_id) - 1 as place
      from feeds
      where feeds.listed_at is not null
        and feeds.listed_at <= long_blocks.starts_at
        and (feeds.listed_at < long_blocks.starts_at or feeds.feed_id >= long_blocks.starts_with)
        and (
          long_blocks.next_at is null
          or feeds.listed_at > long_blocks.next_at
          or (feeds.listed_at = long_blocks.next_at and feeds.feed_id < long_blocks.next_with)
        )
    ) as members
  ),
  parts as (
    select
      starts_at,
      starts_with,
      place / (feeds_max / 2) as part,
      count(*) as feeds,
      (array_agg(listed_at order by place))[1] as listed_at,
      (array_agg(feed_id order by place))[1] as feed_id
    from places
    group by starts_at, starts_with, part
  )
  -- The first part keeps the block's own start, which may lie before its first feed.
  insert into catalog_blocks (starts_at, starts_with, feeds)
  select
    case when part = 0 then starts_at else listed_at end,
    case when part = 0 then starts_with else feed_id end,
    feeds
  from parts
  order by starts_at desc, starts_with, part
$$;
