-- The functions that triggers call: they are the schema's own, not of one program's set of functions,
-- since a trigger runs for every program that serves this database, also for one of another version. So
-- are the terms of the filter index, which is on disk: whoever writes or reads it must hash alike.

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

-- Folds what a statement changed about listed feeds into the counts of words and of catalog blocks.
--
-- Why a function: it runs once at the end of a statement, whatever the number of its rows, so that
-- publishing many feeds at once counts each word once. Those who list or unlist take turns on one lock,
-- since blocks that divide can't be counted by two at a time; it is a rare act.
create or replace function fold_listing()
returns void
language plpgsql
as $$
declare
  block_feeds_max constant integer := 512;
begin
  if not exists (select from listing_changes) then
    return;
  end if;
  perform pg_advisory_xact_lock(7306928);

  with words as (
    select word, sum(listing_changes.feeds) as feeds
    from listing_changes
    cross join lateral unnest(tsvector_to_array(listing_changes.search)) as word
    where word !~ '^[@#=]'
    group by word
    having sum(listing_changes.feeds) <> 0
  )
  insert into search_words as known (word, feeds)
  select word, feeds
  from words
  order by word
  on conflict (word) do update
  set feeds = known.feeds + excluded.feeds;

  delete from search_words
  where feeds <= 0
    and word in (
      select word
      from listing_changes
      cross join lateral unnest(tsvector_to_array(listing_changes.search)) as word
      where listing_changes.feeds < 0
    );

  -- The block of a place is the last one that starts at or before it: newest first, then by id.
  with changes as (
    select starts.starts_at, starts.starts_with, sum(listing_changes.feeds) as feeds
    from listing_changes
    cross join lateral (
      select starts_at, starts_with
      from catalog_blocks
      where starts_at > listing_changes.listed_at
        or (starts_at = listing_changes.listed_at and starts_with <= listing_changes.feed_id)
      order by starts_at, starts_with desc
      limit 1
    ) as starts
    group by starts.starts_at, starts.starts_with
  )
  update catalog_blocks
  set feeds = catalog_blocks.feeds + changes.feeds
  from changes
  where catalog_blocks.starts_at = changes.starts_at
    and catalog_blocks.starts_with = changes.starts_with;

  delete from listing_changes;
  delete from catalog_blocks
  where feeds = 0
    and starts_at < 'infinity';

  perform divide_catalog_blocks(block_feeds_max);
end
$$;

-- A top-level field and its value as one number, the same for values that `eq` holds to be equal: 5
-- and 5.0, but not 5 and "5". Both hashes are PostgreSQL's own, by which it also partitions tables, so
-- they stay the same from version to version.
create or replace function filter_term(name text, value jsonb)
returns integer
language sql
immutable
parallel safe
as $$
  select jsonb_hash_extended(value, hashtextextended(name, 0))::bit(32)::integer
$$;

-- The terms of a row: of its strings, numbers, booleans and nulls. A row of more than 200 fields has the
-- one term 0 instead, which every filter looks up too: so a row costs a bounded number of entries.
create or replace function row_terms(payload json)
returns setof integer
language sql
immutable
parallel safe
rows 10
as $$
  select distinct case when count(*) over () > 200 then 0 else filter_term(key, value) end
  from jsonb_each(payload::jsonb)
  where jsonb_typeof(value) not in ('object', 'array')
$$;

-- Keeps the filter index true where a push replaces rows in their place: what is looked up by the new
-- payload is added, what was by the old is taken out. Costs a look where the batch has no index.
create or replace function index_changed_rows()
returns trigger
language plpgsql
set jit = off
set max_parallel_workers_per_gather = 0
set enable_seqscan = off
set enable_mergejoin = off
as $$
begin
  if not exists (
    select
    from filter_indexes
    where (filter_indexes.feed_id, filter_indexes.batch_number) in (
      select rows_after.feed_id, rows_after.batch_number
      from rows_after
    )
  ) then
    return null;
  end if;

  with entries_before as (
    select filter_indexes.filter_index_id, row_terms.term, rows_before.position
    from rows_before
    join filter_indexes
      on filter_indexes.feed_id = rows_before.feed_id
      and filter_indexes.batch_number = rows_before.batch_number
      and filter_indexes.indexed_position >= rows_before.position
    cross join lateral row_terms(rows_before.payload) as row_terms (term)
  ),
  entries_after as (
    select filter_indexes.filter_index_id, row_terms.term, rows_after.position
    from rows_after
    join filter_indexes
      on filter_indexes.feed_id = rows_after.feed_id
      and filter_indexes.batch_number = rows_after.batch_number
      and filter_indexes.indexed_position >= rows_after.position
    cross join lateral row_terms(rows_after.payload) as row_terms (term)
  ),
  removed as (
    delete from filter_terms
    using (
      select filter_index_id, term, position from entries_before
      except
      select filter_index_id, term, position from entries_after
    ) as gone
    where filter_terms.filter_index_id = gone.filter_index_id
      and filter_terms.term = gone.term
      and filter_terms.event_at = '-infinity'
      and filter_terms.position = gone.position
  )
  insert into filter_terms (filter_index_id, term, event_at, position)
  select added.filter_index_id, added.term, '-infinity', added.position
  from (
    select filter_index_id, term, position from entries_after
    except
    select filter_index_id, term, position from entries_before
  ) as added
  order by added.filter_index_id, added.term, added.position;
  return null;
end
$$;

create or replace trigger collection_rows_changed
after update on collection_rows
referencing old table as rows_before new table as rows_after
for each statement
execute function index_changed_rows();
