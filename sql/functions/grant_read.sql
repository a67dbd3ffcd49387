-- Grants one read that waits alone, as `admit` would, without what makes room for many: no row, and
-- nothing is changed, where `admit` would decide anything else or has to write more (an idempotency key, a
-- window with hits of a clock that was ahead). So it is asked first, and `admit` decides all the rest, by
-- itself: between the two the account was free.
--
-- Why beside `admit`: a batch of one costs PostgreSQL twice as much there, and at low load every read is
-- one. What is decided and written is the same, and `test/admission` holds both against one model.
--
-- A statement and each table that it names cost more than what it looks up, so there are four statements:
-- key and feed; the account, locked and charged at once; the window, looked at and hit at once; the usage
-- event. Where the window turns out to be full, the charge is given back before anybody else could see it.
--
-- Key and feed are read before the lock, so they are as of some moment after the read was sent, which is all
-- that is promised; window, balance and lost batches are of after the lock, as in `admit`.
--
-- Clock and usage id: as in `admit`. planned_version: null to skip the check.
--
-- usage_id: null where nothing is logged
-- balance_nanos: after the read
-- window_used: with this hit
-- oldest_us: when the oldest hit that counts leaves the window
-- data_version: the feed's; for metadata, which shows more than the data, that of its row (xmin)
create or replace function grant_read(
  account_id uuid,
  key_id uuid,
  operation text,
  feed_id uuid,
  planned_version bigint,
  limit_free int,
  limit_paid int,
  window_us bigint,
  batch_token text
)
returns table (
  decided_us bigint,
  usage_id uuid,
  charge_nanos bigint,
  balance_nanos bigint,
  window_limit int,
  window_used int,
  oldest_us bigint,
  data_version bigint
)
language plpgsql
-- As in `admit`: a plan made while the tables were empty would go through all of one once it is full.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  is_sold_once boolean;
  lost_until timestamptz;
  is_lost boolean := false;
  moment timestamptz;
begin
  select
    charge_of_call(grant_read.operation, feeds.price_type, feeds.call_price_nanos),
    window_limit_of(feeds.price_type, grant_read.limit_free, grant_read.limit_paid),
    case
      when grant_read.operation = 'metadata' then feeds.xmin::text::bigint
      else feeds.data_version
    end,
    needs_purchase(grant_read.operation, feeds.price_type)
  into charge_nanos, window_limit, data_version, is_sold_once
  from api_keys as keys
  left join feeds
    on feeds.feed_id = grant_read.feed_id
  where keys.key_id = grant_read.key_id
    and keys.account_id = grant_read.account_id
    and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
    and (grant_read.feed_id is null or feeds.status = 'active')
    and (feeds.definition_version <> grant_read.planned_version) is not true;
  if not found then
    return;
  end if;
  if is_sold_once then
    perform
    from purchases
    where purchases.account_id = grant_read.account_id
      and purchases.feed_id = grant_read.feed_id;
    if not found then
      return;
    end if;
  end if;

  if charge_nanos > 0 then
    update accounts
    set balance_nanos = accounts.balance_nanos - charge_nanos
    where accounts.account_id = grant_read.account_id
      and accounts.balance_nanos >= charge_nanos
    returning accounts.balance_nanos, accounts.lost_batches_until
    into balance_nanos, lost_until;
  else
    select accounts.balance_nanos, accounts.lost_batches_until
    into balance_nanos, lost_until
    from accounts
    where accounts.account_id = grant_read.account_id
    for no key update;
  end if;
  if not found then
    return;
  end if;

  moment := clock_timestamp();
  decided_us := epoch_us(moment);

  -- Asked under the lock, as in `admit`.
  if lost_until > moment then
    is_lost := exists (
      select from lost_batches where lost_batches.batch_token = grant_read.batch_token
    );
  end if;
  if not is_lost then
    insert into rate_windows as windows (account_id, operation, feed_id, hits)
    values (
      grant_read.account_id, grant_read.operation,
      window_feed_of(grant_read.operation, grant_read.feed_id), array[decided_us]
    )
    on conflict (account_id, operation, feed_id) do update
    set hits = windows.hits[width_bucket(decided_us - grant_read.window_us, windows.hits) + 1:]
      || decided_us
    where (windows.hits[cardinality(windows.hits)] > decided_us) is not true
      and cardinality(windows.hits) - width_bucket(decided_us - grant_read.window_us, windows.hits)
        < window_limit
    returning cardinality(windows.hits), windows.hits[1] + grant_read.window_us
    into window_used, oldest_us;
  end if;
  if window_used is null then
    if charge_nanos > 0 then
      update accounts
      set balance_nanos = accounts.balance_nanos + charge_nanos
      where accounts.account_id = grant_read.account_id;
    end if;
    return;
  end if;

  if is_logged_call(operation) then
    usage_id := usage_id_of(decided_us, 1, batch_token);
    insert into usage_events (
      usage_id, account_id, operation, feed_id, charge_nanos, balance_after_nanos, happened_at
    )
    values (
      usage_id, grant_read.account_id, grant_read.operation, grant_read.feed_id, charge_nanos,
      balance_nanos, moment
    );
  end if;
  return next;
end
$$;
