-- Grants one read that waits alone, as `admit` would, without what makes room for many: no row, and
-- nothing is written, where `admit` would decide anything else or has to write more (an idempotency key, a
-- window with hits of a clock that was ahead). So it is asked first, and `admit` decides all the rest, by
-- itself: between the two the account was free.
--
-- Why beside `admit`: a batch of one costs PostgreSQL twice as much there, and at low load every read is
-- one. What is decided and written is the same, and so is what comes back; `test/admission` holds both
-- against one model.
--
-- Locks, clock, usage id and the returned columns: as in `admit`. planned_version: null to skip the check.
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
  outcomes text,
  usage_ids text,
  charges_nanos text,
  balances_nanos text,
  window_limits text,
  windows_used text,
  frees_us text,
  oldest_us text,
  data_versions text,
  replayed_us text
)
language plpgsql
-- As in `admit`: a plan made while the tables were empty would go through all of one once it is full.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  window_feed_id uuid := window_feed_of(operation, feed_id);
  account record;
  moment timestamptz;
  now_us bigint;
  wanted record;
  balance bigint;
  usage_id uuid;
begin
  select accounts.ctid as place, accounts.balance_nanos
  into account
  from accounts
  where accounts.account_id = grant_read.account_id
  for no key update of accounts;

  moment := clock_timestamp();
  now_us := epoch_us(moment);

  select
    charge_of_call(grant_read.operation, feeds.price_type, feeds.call_price_nanos) as price_nanos,
    window_limit_of(feeds.price_type, grant_read.limit_free, grant_read.limit_paid)
      as window_limit,
    case
      when grant_read.operation = 'metadata' then feeds.xmin::text::bigint
      else feeds.data_version
    end as data_version,
    windows.ctid as window_place,
    windows.hits,
    coalesce(width_bucket(now_us - grant_read.window_us, windows.hits), 0) as hits_expired,
    coalesce(cardinality(windows.hits), 0) as hits_total
  into wanted
  from api_keys as keys
  left join feeds
    on feeds.feed_id = grant_read.feed_id
  left join rate_windows as windows
    on windows.account_id = grant_read.account_id
    and windows.operation = grant_read.operation
    and windows.feed_id = window_feed_id
  where keys.key_id = grant_read.key_id
    and keys.account_id = grant_read.account_id
    and is_usable_key(keys.revoked_at, keys.expires_at, moment)
    and (grant_read.feed_id is null or feeds.status = 'active')
    and (feeds.definition_version <> grant_read.planned_version) is not true
    and (
      (feeds.price_type = 'one_time' and grant_read.operation in ('data', 'revalidate')) is not true
      or exists (
        select
        from purchases
        where purchases.account_id = grant_read.account_id
          and purchases.feed_id = grant_read.feed_id
      )
    )
    and (windows.hits[cardinality(windows.hits)] > now_us) is not true
    and not exists (
      select from lost_batches where lost_batches.batch_token = grant_read.batch_token
    );
  if not found
    or wanted.hits_total - wanted.hits_expired >= wanted.window_limit
    or wanted.price_nanos > account.balance_nanos then
    return;
  end if;
  balance := account.balance_nanos - wanted.price_nanos;

  if wanted.price_nanos > 0 then
    update accounts
    set balance_nanos = balance
    where accounts.ctid = account.place;
  end if;

  if is_logged_call(operation) then
    usage_id := usage_id_of(now_us, 1, batch_token);
    insert into usage_events (
      usage_id, account_id, operation, feed_id, charge_nanos, balance_after_nanos, happened_at
    )
    values (
      usage_id, grant_read.account_id, grant_read.operation, grant_read.feed_id,
      wanted.price_nanos, balance, moment
    );
  end if;

  if wanted.window_place is null then
    insert into rate_windows (account_id, operation, feed_id, hits)
    values (grant_read.account_id, grant_read.operation, window_feed_id, array[now_us]);
  else
    update rate_windows as windows
    set hits = windows.hits[wanted.hits_expired + 1:] || now_us
    where windows.ctid = wanted.window_place;
  end if;

  decided_us := now_us;
  outcomes := 'granted';
  usage_ids := coalesce(usage_id::text, '');
  charges_nanos := wanted.price_nanos::text;
  balances_nanos := balance::text;
  window_limits := wanted.window_limit::text;
  windows_used := (wanted.hits_total - wanted.hits_expired + 1)::text;
  frees_us := '';
  oldest_us := (coalesce(wanted.hits[wanted.hits_expired + 1], now_us) + window_us)::text;
  data_versions := coalesce(wanted.data_version::text, '');
  replayed_us := '';
  return next;
end
$$;
