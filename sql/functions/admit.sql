-- Decides and writes everything for all reads that wait: key, feed, window, purchase, credit, usage.
--
-- Why a function: the accounts of the batch are locked first, in one fixed order, and only then, with
-- a fresh snapshot, is anything read. An account's lock also covers its windows, purchases and
-- idempotency keys, since nothing else writes them, so one lock a read is enough and batches of any
-- number of processes can't deadlock.
--
-- Reads are decided in order of arrival, as if they had come one by one: the loop only compares
-- numbers; all reading is one query before it and all writing three statements after it.
--
-- $1..$8 are parallel arrays, one element a read:
--   key_ids, operations, feed_ids (null where no feed is meant), definition_versions (the feed's, as
--   the caller planned by it; null to skip the check), limits (in a window, for feeds that are free),
--   limits_paid (for metered and purchased feeds), idempotency_keys, query_hashes (both may be null)
-- window_us: length of the window in microseconds
-- idempotency_us: how long an idempotency key is remembered, in microseconds
--
-- Outcomes: granted, replayed (granted under a remembered idempotency key), limited, unpaid,
-- not_purchased, key_refused, feed_closed, stale (the feed changed: plan again), key_reused.
create or replace function admit(
  key_ids uuid[],
  operations text[],
  feed_ids uuid[],
  definition_versions bigint[],
  limits int[],
  limits_paid int[],
  idempotency_keys text[],
  query_hashes text[],
  window_us bigint,
  idempotency_us bigint
)
returns table (
  place int,
  outcome text,
  usage_id uuid,
  happened_us bigint,
  charge_nanos bigint,
  price_nanos bigint,
  balance_nanos bigint,
  window_limit int,
  window_used int,
  frees_us bigint,
  oldest_us bigint,
  data_version bigint,
  definition_version bigint,
  push_count bigint
)
language plpgsql
-- The arrays are small and every table is reached by its key; without these a plan made while the
-- tables were empty could scan them.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  now_us bigint;
  moment timestamptz;
  -- A usage id is the time (48 bits of milliseconds, 12 of their fraction), the read's place, and 48
  -- random bits of the batch: unique over all processes, and in the order of the log.
  id_head text;
  id_tail text;
  wanted record;
  -- By account: what it can still spend, and what it began with.
  account_ids uuid[] := '{}';
  balances bigint[] := '{}';
  spent bigint[] := '{}';
  -- By window: its live hits before this batch, and how many this batch adds.
  window_keys record;
  window_accounts uuid[] := '{}';
  window_operations text[] := '{}';
  window_feeds uuid[] := '{}';
  window_added int[] := '{}';
  -- By read that leaves a usage event.
  usage_ids uuid[] := '{}';
  usage_accounts uuid[] := '{}';
  usage_operations text[] := '{}';
  usage_feeds uuid[] := '{}';
  usage_charges bigint[] := '{}';
  usage_balances bigint[] := '{}';
  -- By read that is to be remembered.
  remembered_accounts uuid[] := '{}';
  remembered_keys text[] := '{}';
  remembered_hashes text[] := '{}';
  remembered_ids uuid[] := '{}';
  remembered_charges bigint[] := '{}';
  added int;
  used int;
begin
  perform
  from accounts
  where account_id in (select account_id from api_keys where key_id = any (key_ids))
  order by account_id
  for no key update;

  moment := clock_timestamp();
  now_us := floor(extract(epoch from moment) * 1000000)::bigint;
  id_head := lpad(to_hex(now_us / 1000), 12, '0')
    || '7' || lpad(to_hex((now_us % 1000) * 4096 / 1000), 3, '0');
  id_tail := right(gen_random_uuid()::text, 12);

  for wanted in
    select
      reads.place,
      reads.operation,
      reads.feed_id,
      coalesce(feeds.price_type in ('metered', 'one_time'), false) as is_paid,
      case
        when coalesce(feeds.price_type in ('metered', 'one_time'), false) then reads.limit_paid
        else reads.limit_free
      end as window_limit,
      keys.account_id,
      keys.key_id is null or keys.revoked_at is not null or keys.expires_at <= moment
        as is_key_refused,
      reads.operation <> 'push' and reads.feed_id is not null
        and (feeds.feed_id is null or feeds.status <> 'active') as is_feed_closed,
      coalesce(feeds.definition_version <> reads.definition_version, false) as is_stale,
      case
        when reads.operation = 'data' and feeds.price_type = 'metered' then feeds.call_price_nanos
        else 0
      end as price_nanos,
      reads.operation in ('data', 'revalidate') and feeds.price_type = 'one_time'
        and purchases.feed_id is null as is_not_purchased,
      reads.operation in ('data', 'metadata', 'catalog', 'search') as is_logged,
      accounts.balance_nanos,
      reads.idempotency_key,
      reads.query_hash,
      remembered.query_hash as remembered_hash,
      remembered.usage_id as remembered_id,
      remembered.charge_nanos as remembered_charge,
      floor(extract(epoch from remembered.happened_at) * 1000000)::bigint as remembered_us,
      windows.hits,
      coalesce(width_bucket(now_us - window_us, windows.hits), 0) as hits_expired,
      coalesce(cardinality(windows.hits), 0) as hits_total,
      feeds.data_version,
      feeds.definition_version,
      feeds.push_count,
      dense_rank() over (order by keys.account_id)::int as account_number,
      dense_rank() over (
        order by
          keys.account_id,
          reads.operation,
          case when reads.operation in ('data', 'push') then reads.feed_id else nil end
      )::int as window_number
    from unnest(
      key_ids, operations, feed_ids, definition_versions, limits, limits_paid,
      idempotency_keys, query_hashes
    ) with ordinality as reads (
      key_id, operation, feed_id, definition_version, limit_free, limit_paid,
      idempotency_key, query_hash, place
    )
    left join api_keys as keys
      on keys.key_id = reads.key_id
    left join accounts
      on accounts.account_id = keys.account_id
    left join feeds
      on feeds.feed_id = reads.feed_id
    left join rate_windows as windows
      on windows.account_id = keys.account_id
      and windows.operation = reads.operation
      and windows.feed_id
        = case when reads.operation in ('data', 'push') then reads.feed_id else nil end
    left join purchases
      on purchases.account_id = keys.account_id
      and purchases.feed_id = reads.feed_id
    left join idempotency_keys as remembered
      on remembered.account_id = keys.account_id
      and remembered.idempotency_key = reads.idempotency_key
      and remembered.happened_at > moment - idempotency_us * interval '1 microsecond'
    order by reads.place
  loop
    place := wanted.place;
    usage_id := null;
    happened_us := now_us;
    charge_nanos := 0;
    price_nanos := wanted.price_nanos;
    window_limit := wanted.window_limit;
    data_version := wanted.data_version;
    definition_version := wanted.definition_version;
    push_count := wanted.push_count;

    if account_ids[wanted.account_number] is null then
      account_ids[wanted.account_number] := wanted.account_id;
      balances[wanted.account_number] := wanted.balance_nanos;
      spent[wanted.account_number] := 0;
    end if;
    added := coalesce(window_added[wanted.window_number], 0);
    used := wanted.hits_total - wanted.hits_expired + added;
    balance_nanos := balances[wanted.account_number];

    outcome := case
      when wanted.is_key_refused then 'key_refused'
      when wanted.is_feed_closed then 'feed_closed'
      when wanted.is_stale then 'stale'
      when wanted.remembered_hash <> wanted.query_hash then 'key_reused'
      when wanted.is_not_purchased then 'not_purchased'
      when used >= wanted.window_limit then 'limited'
      when wanted.remembered_id is not null then 'replayed'
      when wanted.price_nanos > balance_nanos then 'unpaid'
      else 'granted'
    end;

    if outcome in ('granted', 'replayed') then
      used := used + 1;
      window_accounts[wanted.window_number] := wanted.account_id;
      window_operations[wanted.window_number] := wanted.operation;
      window_feeds[wanted.window_number] :=
        case when wanted.operation in ('data', 'push') then wanted.feed_id else nil end;
      window_added[wanted.window_number] := added + 1;
    end if;

    if outcome = 'replayed' then
      usage_id := wanted.remembered_id;
      charge_nanos := wanted.remembered_charge;
      happened_us := wanted.remembered_us;
    elsif outcome = 'granted' then
      charge_nanos := wanted.price_nanos;
      if charge_nanos > 0 then
        balance_nanos := balance_nanos - charge_nanos;
        balances[wanted.account_number] := balance_nanos;
        spent[wanted.account_number] := spent[wanted.account_number] + charge_nanos;
      end if;
      if wanted.is_logged then
        usage_id := (
          id_head || to_hex(32768 + place) || id_tail
        )::uuid;
        usage_ids := usage_ids || usage_id;
        usage_accounts := usage_accounts || wanted.account_id;
        usage_operations := usage_operations || wanted.operation;
        usage_feeds := usage_feeds || wanted.feed_id;
        usage_charges := usage_charges || charge_nanos;
        usage_balances := usage_balances || balance_nanos;
      end if;
      if wanted.idempotency_key is not null then
        remembered_accounts := remembered_accounts || wanted.account_id;
        remembered_keys := remembered_keys || wanted.idempotency_key;
        remembered_hashes := remembered_hashes || wanted.query_hash;
        remembered_ids := remembered_ids || usage_id;
        remembered_charges := remembered_charges || charge_nanos;
      end if;
    end if;

    window_used := used;
    -- The hit whose end makes room again, and the oldest that counts; both may be of this batch.
    frees_us := coalesce(wanted.hits[wanted.hits_total + added - wanted.window_limit + 1], now_us)
      + window_us;
    oldest_us := coalesce(wanted.hits[wanted.hits_expired + 1], now_us) + window_us;
    return next;
  end loop;

  update accounts
  set balance_nanos = accounts.balance_nanos - charges.amount_nanos
  from unnest(account_ids, spent) as charges (account_id, amount_nanos)
  where accounts.account_id = charges.account_id
    and charges.amount_nanos > 0;

  insert into usage_events (
    usage_id, account_id, operation, feed_id, charge_nanos, balance_after_nanos, happened_at
  )
  select
    events.usage_id, events.account_id, events.operation, events.feed_id, events.charge_nanos,
    events.balance_after_nanos, moment
  from unnest(
    usage_ids, usage_accounts, usage_operations, usage_feeds, usage_charges, usage_balances
  ) as events (usage_id, account_id, operation, feed_id, charge_nanos, balance_after_nanos);

  -- Expired hits go in the same write that adds the new. A clock that went back never breaks the
  -- order of the array: a hit is no earlier than the one before it.
  insert into rate_windows as windows (account_id, operation, feed_id, hits)
  select
    added.account_id, added.operation, added.feed_id, array_fill(now_us, array[added.hits])
  from unnest(window_accounts, window_operations, window_feeds, window_added)
    as added (account_id, operation, feed_id, hits)
  where added.hits > 0
  on conflict (account_id, operation, feed_id) do update
  set hits = windows.hits[width_bucket(now_us - window_us, windows.hits) + 1:]
    || array_fill(
      greatest(now_us, windows.hits[cardinality(windows.hits)]),
      array[cardinality(excluded.hits)]
    );

  if cardinality(remembered_ids) > 0 then
    insert into idempotency_keys as remembered (
      account_id, idempotency_key, query_hash, usage_id, charge_nanos, happened_at
    )
    select
      events.account_id, events.idempotency_key, events.query_hash, events.usage_id,
      events.charge_nanos, moment
    from unnest(
      remembered_accounts, remembered_keys, remembered_hashes, remembered_ids, remembered_charges
    ) as events (account_id, idempotency_key, query_hash, usage_id, charge_nanos)
    on conflict (account_id, idempotency_key) do update
    set query_hash = excluded.query_hash,
      usage_id = excluded.usage_id,
      charge_nanos = excluded.charge_nanos,
      happened_at = excluded.happened_at;
  end if;
end
$$;
