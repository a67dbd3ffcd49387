-- Computes the reliability of the next feeds in id order, for at most 200 ms. A feed is written only if its score
-- changes, because that gives it a new definition and invalidates the answers that show it.
--
-- A feed that is locked is being pushed to. It gets its score in the next pass.
create or replace function score_feeds(
  inout mark text,
  moment timestamptz,
  history interval,
  feed_limit int,
  out is_more boolean
)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  nil constant text := '00000000-0000-0000-0000-000000000000';
  ends_at constant timestamptz := clock_timestamp() + interval '200 milliseconds';
  feed record;
  score numeric;
  feeds_done int := 0;
begin
  is_more := false;
  for feed in
    select feeds.feed_id, feeds.first_pushed_at, feeds.sync_interval_mins, feeds.reliability_score
    from feeds
    where feeds.feed_id >= coalesce(nullif(mark, ''), nil)::uuid
      and feeds.feed_id::text <> mark
    order by feeds.feed_id
    limit feed_limit
  loop
    score := reliability_of(
      feed.feed_id, feed.first_pushed_at, feed.sync_interval_mins, moment, history
    );
    if score is distinct from feed.reliability_score then
      perform
      from feeds
      where feeds.feed_id = feed.feed_id
      for no key update skip locked;
      if found then
        update feeds
        set reliability_score = score,
          definition_version = definition_version + 1
        where feeds.feed_id = feed.feed_id;
      end if;
    end if;
    mark := feed.feed_id::text;
    feeds_done := feeds_done + 1;
    is_more := feeds_done = feed_limit or clock_timestamp() > ends_at;
    exit when is_more;
  end loop;
  if not is_more then
    mark := '';
  end if;
end
$$;
