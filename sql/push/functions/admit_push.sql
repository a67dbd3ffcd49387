-- Locks the feed and decides whether to admit a push: by the feed's definition, the key, and the feed's window, an
-- exact sliding log. An admitted push is counted.
--
-- A feed's window of pushes is written only under the lock of the feed. So the pushes of a feed are counted one by one,
-- and no other feed of the account waits for them.
--
-- planned_version: definition_version that the push was checked against; null if that does not matter
-- window_limit: pushes of the feed in a window
-- window_us: length of the window in microseconds
--
-- admission: granted, stale (the feed's definition has changed), key_refused (the key or its account), or limited; only
--   a granted push is counted
-- window_used: pushes in the window, including this one if it is granted; null if stale or key_refused
-- reset_seconds: when the oldest push that counts leaves the window, in seconds of the Unix epoch, rounded up
-- retry_after_ms: milliseconds until a full window has room, rounded up; null if it is not full
create or replace function admit_push(
  pushed_feed_id uuid,
  pusher_account_id uuid,
  pusher_key_id uuid,
  planned_version bigint,
  window_limit int,
  window_us bigint,
  out admission text,
  out window_used int,
  out reset_seconds bigint,
  out retry_after_ms int
)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  version bigint;
  now_us bigint;
  counted bigint[];
  is_ahead boolean;
begin
  select feeds.definition_version
  into version
  from feeds
  where feeds.feed_id = pushed_feed_id
  for no key update;
  if version <> planned_version then
    admission := 'stale';
    return;
  end if;

  if not may_push(pusher_account_id, pusher_key_id) then
    admission := 'key_refused';
    return;
  end if;

  -- Taken under the lock, so that hits are in time order.
  now_us := extract(epoch from clock_timestamp()) * 1000000;
  select windows.hits[width_bucket(now_us - window_us, windows.hits) + 1:]
  into counted
  from push_windows as windows
  where windows.feed_id = pushed_feed_id;
  window_used := coalesce(cardinality(counted), 0);
  is_ahead := coalesce(counted[window_used] > now_us, false);
  if is_ahead then
    -- The clock was set back. A hit in the future is moved to now. Otherwise it would count for longer than a window.
    counted := array(
      select least(hits.hit_us, now_us)
      from unnest(counted) with ordinality as hits (hit_us, place)
      order by hits.place
    );
  end if;
  reset_seconds := ceil((coalesce(counted[1], now_us) + window_us) / 1000000.0);
  admission := case when window_used < window_limit then 'granted' else 'limited' end;
  if admission = 'granted' then
    counted := counted || now_us;
    window_used := window_used + 1;
  else
    retry_after_ms := ceil(
      (coalesce(counted[window_used - window_limit + 1], now_us) + window_us - now_us) / 1000.0
    );
  end if;

  if admission = 'granted' or is_ahead then
    insert into push_windows (feed_id, hits)
    values (pushed_feed_id, counted)
    on conflict (feed_id) do update
    set hits = excluded.hits;
  end if;
end
$$;
