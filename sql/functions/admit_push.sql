-- Decides whether a push may come in: its key, and the feed's window. The caller holds no lock: this takes
-- the feed's, under which alone windows of pushes are written. So the pushes of one feed are counted one by
-- one, and those of an account's other feeds, and its reads, do not wait for them.
--
-- Pushes are not admitted by `admit`, together with all that waits, since a push is stored by a statement
-- of its own anyway: to be admitted by the same saves it a commit.
--
-- window_limit: pushes of the feed in a window
-- window_us: length of the window in microseconds
--
-- admission: granted, limited or key_refused
-- window_used: pushes in the window, this one included where it is granted
-- frees_in_us: microseconds until a full window has room again; null where it is not full
-- oldest_us: when the oldest push that counts leaves the window, in microseconds of the Unix epoch
-- definition_version: the feed's
create or replace function admit_push(
  pushed_feed_id uuid,
  pusher_account_id uuid,
  pusher_key_id uuid,
  window_limit int,
  window_us bigint,
  out admission text,
  out window_used int,
  out frees_in_us bigint,
  out oldest_us bigint,
  out definition_version bigint
)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  now_us bigint;
  counted bigint[];
  is_ahead boolean;
begin
  select feeds.definition_version
  into admit_push.definition_version
  from feeds
  where feeds.feed_id = pushed_feed_id
  for no key update;

  -- Taken under the lock, so that hits are in the order of their times.
  now_us := epoch_us(clock_timestamp());
  if not exists (
    select
    from api_keys
    where api_keys.key_id = pusher_key_id
      and api_keys.account_id = pusher_account_id
      and is_usable_key(api_keys.revoked_at, api_keys.expires_at, clock_timestamp())
  ) then
    admission := 'key_refused';
    return;
  end if;

  select windows.hits[width_bucket(now_us - window_us, windows.hits) + 1:]
  into counted
  from rate_windows as windows
  where windows.account_id = pusher_account_id
    and windows.operation = 'push'
    and windows.feed_id = pushed_feed_id;
  window_used := coalesce(cardinality(counted), 0);
  is_ahead := coalesce(counted[window_used] > now_us, false);
  if is_ahead then
    -- The clock went back: hits of later than now become hits of now, so that none outlasts a window.
    counted := array(
      select least(hits.hit_us, now_us)
      from unnest(counted) with ordinality as hits (hit_us, place)
      order by hits.place
    );
  end if;
  oldest_us := coalesce(counted[1], now_us) + window_us;
  if window_used >= window_limit then
    admission := 'limited';
    frees_in_us := coalesce(counted[window_used - window_limit + 1], now_us) + window_us - now_us;
    if is_ahead then
      update rate_windows as windows
      set hits = counted
      where windows.account_id = pusher_account_id
        and windows.operation = 'push'
        and windows.feed_id = pushed_feed_id;
    end if;
    return;
  end if;

  admission := 'granted';
  -- Windows that are long idle are swept away, perhaps at this moment.
  insert into rate_windows (account_id, operation, feed_id, hits)
  values (pusher_account_id, 'push', pushed_feed_id, counted || now_us)
  on conflict (account_id, operation, feed_id) do update
  set hits = excluded.hits;
  window_used := window_used + 1;
end
$$;
