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
