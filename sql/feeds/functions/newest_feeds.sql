-- A page of the feeds that are not deleted, newest first. A null argument is ignored.
--
-- Each call is planned for its arguments, so that it starts with the most selective index. Failing feeds are found by
-- their refused pushes, with one step per feed. Late feeds are found by a scan, because an index on the time of the
-- last push would cost each push more than a list is worth.
--
-- health_asked: see list_feed_rows
-- after_feed: the page begins after it
create or replace function newest_feeds(
  owner_id uuid,
  is_unlisted_only boolean,
  status_asked text,
  review_asked text,
  health_asked text,
  after_feed uuid,
  rows_max integer,
  rows_skipped bigint
)
returns table (feed_id uuid)
language plpgsql
stable
rows 100
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  after_created_at timestamptz;
begin
  if after_feed is not null then
    select feeds.created_at
    into after_created_at
    from feeds
    where feeds.feed_id = after_feed;
    if not found then
      return;
    end if;
  end if;

  if health_asked = 'failing' then
    return query
    with recursive refusals as (
      (
        select pushes.feed_id, pushes.pushed_at
        from pushes
        where not pushes.stored
        order by pushes.feed_id, pushes.pushed_at desc, pushes.push_id desc
        limit 1
      )
      union all
      select newest.feed_id, newest.pushed_at
      from refusals
      cross join lateral (
        select pushes.feed_id, pushes.pushed_at
        from pushes
        where not pushes.stored
          and pushes.feed_id > refusals.feed_id
        order by pushes.feed_id, pushes.pushed_at desc, pushes.push_id desc
        limit 1
      ) as newest
    )
    select feeds.feed_id
    from refusals
    join feeds
      on feeds.feed_id = refusals.feed_id
    where feeds.deleted_at is null
      and (feeds.last_sync_at is null or feeds.last_sync_at < refusals.pushed_at)
      and (owner_id is null or feeds.account_id = owner_id)
      and (not is_unlisted_only or not feeds.is_public)
      and (status_asked is null or feeds.status = status_asked)
      and (review_asked is null or case when feeds.is_public then 'listed' else feeds.review end = review_asked)
      and (after_feed is null or (feeds.created_at, feeds.feed_id) < (after_created_at, after_feed))
    order by feeds.created_at desc, feeds.feed_id desc
    limit rows_max
    offset rows_skipped;
    return;
  end if;

  return query
  select feeds.feed_id
  from feeds
  where feeds.deleted_at is null
    and (owner_id is null or feeds.account_id = owner_id)
    and (not is_unlisted_only or not feeds.is_public)
    and (status_asked is null or feeds.status = status_asked)
    and (
      review_asked is null
      or (review_asked = 'listed' and feeds.is_public)
      or (review_asked <> 'listed' and not feeds.is_public and feeds.review = review_asked)
    )
    and (
      health_asked is distinct from 'late'
      or (
        feeds.last_sync_at + make_interval(mins => feeds.sync_interval_mins) < now()
        and feeds.is_readable
      )
    )
    -- The first push makes a feed active.
    and (
      health_asked is distinct from 'never_pushed'
      or (feeds.first_pushed_at is null and feeds.status <> 'active')
    )
    and (after_feed is null or (feeds.created_at, feeds.feed_id) < (after_created_at, after_feed))
  order by feeds.created_at desc, feeds.feed_id desc
  limit rows_max
  offset rows_skipped;
end
$$;
