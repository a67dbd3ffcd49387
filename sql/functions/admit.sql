-- Decides and writes everything for all reads that wait: key, feed, window, purchase, credit, usage.
--
-- Why a function: the accounts of the batch are locked first, in one fixed order, and only then, with
-- a fresh snapshot, is anything read. An account's lock also covers its windows, purchases and
-- idempotency keys, since nothing else writes them, so one lock an account is enough and batches of
-- any number of processes can't deadlock. It also makes the places (ctid) of locked rows and of their
-- windows stable, so that they are written without a second look-up.
--
-- Reads are decided in order of arrival, as if they had come one by one: the loop only compares
-- numbers; all reading is one query before it and all writing a few statements after it.
--
-- account_ids: the accounts of the batch, each once, ascending (the order of the locks)
-- The other arrays are parallel, one element a read:
--   account_numbers (place of its account in account_ids), window_numbers (reads of one window share
--   one, from 1), key_ids, operations, feed_ids (null where no feed is meant), definition_versions
--   (the feed's, as the caller planned by it; null to skip the check), limits (calls in a window for
--   feeds that are free), limits_paid (for metered and purchased feeds), idempotency_keys and
--   query_hashes (both may be null)
-- window_us: length of the window in microseconds
-- idempotency_us: how long an idempotency key is remembered, in microseconds
-- batch_token: 48 random bits, in hexadecimal, that the caller gives the batch: the end of its usage
--   ids, by which refund_reads finds them where the answer is lost. No row comes back for a batch that
--   was given up as lost before it began
--
-- Outcomes: granted, replayed (granted under a remembered idempotency key), limited, unpaid,
-- not_purchased, key_refused, feed_closed, stale (the feed changed: plan again), key_reused.
-- data_version is the feed's; for metadata, which shows more than the data, that of its row (xmin).
-- charge_nanos is the price where the outcome is unpaid; frees_us is when a full window has room again.
create or replace function admit(
  account_ids uuid[],
  account_numbers int[],
  window_numbers int[],
  key_ids uuid[],
  operations text[],
  feed_ids uuid[],
  definition_versions bigint[],
  limits int[],
  limits_paid int[],
  idempotency_keys text[],
  query_hashes text[],
  window_us bigint,
  idempotency_us bigint,
  batch_token text
)
returns table (
  outcome text,
  usage_id uuid,
  happened_us bigint,
  charge_nanos bigint,
  balance_nanos bigint,
  window_limit int,
  window_used int,
  frees_us bigint,
  oldest_us bigint,
  data_version bigint,
  definition_version bigint
)
language plpgsql
-- The arrays are small and every table is reached by its key; without these, and without the lateral
-- look-ups of one row each, a plan made while the tables were empty would go through all of a table for
-- each read once they are full.
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
  -- A usage id is the time (48 bits of milliseconds, 12 of their fraction), the read's place, and the
  -- batch's token: unique over all processes, and in the order of the log.
  id_head text;
  wanted record;
  used int;
  added int;
  -- By account, in the order of account_ids.
  account_places tid[];
  balances bigint[];
  spent bigint[];
  -- By window, in the order of its first grant.
  window_slots int[] := array_fill(0, array[cardinality(key_ids)]);
  window_slot int := 0;
  window_places tid[] := '{}';
  window_accounts uuid[] := '{}';
  window_operations text[] := '{}';
  window_feeds uuid[] := '{}';
  window_expired int[] := '{}';
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
  -- By read that is replayed.
  replayed_accounts uuid[] := '{}';
  replayed_keys text[] := '{}';
begin
  select
    array_agg(locked.ctid order by locked.number),
    array_agg(locked.balance_nanos order by locked.number)
  into account_places, balances
  from (
    select accounts.ctid, accounts.balance_nanos, asked.number
    from unnest(account_ids) with ordinality as asked (account_id, number)
    join accounts
      on accounts.account_id = asked.account_id
    order by asked.number
    for no key update of accounts
  ) as locked;
  spent := array_fill(0::bigint, array[cardinality(balances)]);

  -- Asked under the locks, as it is written under them: a lost batch is either here before it has begun,
  -- or committed before it is looked for.
  perform from lost_batches where lost_batches.batch_token = admit.batch_token;
  if found then
    return;
  end if;

  moment := clock_timestamp();
  now_us := floor(extract(epoch from moment) * 1000000)::bigint;
  id_head := lpad(to_hex(now_us / 1000), 12, '0')
    || '7' || lpad(to_hex((now_us % 1000) * 4096 / 1000), 3, '0');

  for wanted in
    select
      reads.place,
      reads.operation,
      reads.feed_id,
      reads.account_id,
      reads.account_number,
      reads.window_number,
      reads.window_feed_id,
      case
        when keys.key_id is null or keys.revoked_at is not null or keys.expires_at <= moment
          or keys.account_id <> reads.account_id then 'key_refused'
        when reads.feed_id is null or reads.operation = 'push' then null
        when feeds.status is distinct from 'active' then 'feed_closed'
        when feeds.definition_version <> reads.definition_version then 'stale'
      end as refusal,
      case
        when feeds.price_type <> 'free' then reads.limit_paid
        else reads.limit_free
      end as window_limit,
      case
        when reads.operation = 'data' and feeds.price_type = 'metered' then feeds.call_price_nanos
        else 0
      end as price_nanos,
      feeds.price_type = 'one_time' and reads.operation in ('data', 'revalidate')
        and purchases.feed_id is null as is_not_purchased,
      reads.operation in ('data', 'metadata', 'catalog', 'search') as is_logged,
      reads.idempotency_key,
      reads.query_hash,
      remembered.query_hash as remembered_hash,
      remembered.usage_id as remembered_id,
      remembered.charge_nanos as remembered_charge,
      remembered.happened_at as remembered_at,
      windows.ctid as window_place,
      windows.hits,
      coalesce(width_bucket(now_us - window_us, windows.hits), 0) as hits_expired,
      coalesce(cardinality(windows.hits), 0) as hits_total,
      feeds.data_version,
      feeds.definition_version
    from (
      select
        asked.*,
        account_ids[asked.account_number] as account_id,
        case when asked.operation in ('data', 'push') then asked.feed_id else nil end
          as window_feed_id
      from unnest(
        account_numbers, window_numbers, key_ids, operations, feed_ids, definition_versions,
        limits, limits_paid, idempotency_keys, query_hashes
      ) with ordinality as asked (
        account_number, window_number, key_id, operation, feed_id, definition_version,
        limit_free, limit_paid, idempotency_key, query_hash, place
      )
    ) as reads
    left join lateral (
      select api_keys.key_id, api_keys.account_id, api_keys.revoked_at, api_keys.expires_at
      from api_keys
      where api_keys.key_id = reads.key_id
      limit 1
    ) as keys
      on true
    left join lateral (
      select
        feeds.feed_id, feeds.status, feeds.price_type, feeds.call_price_nanos,
        case when reads.operation = 'metadata' then feeds.xmin::text::bigint else feeds.data_version
        end as data_version,
        feeds.definition_version
      from feeds
      where feeds.feed_id = reads.feed_id
      limit 1
    ) as feeds
      on true
    left join lateral (
      select rate_windows.ctid, rate_windows.hits
      from rate_windows
      where rate_windows.account_id = reads.account_id
        and rate_windows.operation = reads.operation
        and rate_windows.feed_id = reads.window_feed_id
      limit 1
    ) as windows
      on true
    -- The two that are rarely there are looked up by a null key, that is not at all, where they can't.
    left join lateral (
      select purchases.feed_id
      from purchases
      where purchases.account_id = reads.account_id
        and purchases.feed_id = case when feeds.price_type = 'one_time' then reads.feed_id end
      limit 1
    ) as purchases
      on true
    left join lateral (
      select
        idempotency_keys.query_hash, idempotency_keys.usage_id, idempotency_keys.charge_nanos,
        idempotency_keys.happened_at
      from idempotency_keys
      where idempotency_keys.account_id = reads.account_id
        and idempotency_keys.idempotency_key = reads.idempotency_key
        and idempotency_keys.happened_at > moment - idempotency_us * interval '1 microsecond'
      limit 1
    ) as remembered
      on true
    order by reads.place
  loop
    usage_id := null;
    happened_us := now_us;
    charge_nanos := 0;
    window_limit := wanted.window_limit;
    data_version := wanted.data_version;
    definition_version := wanted.definition_version;
    balance_nanos := balances[wanted.account_number];
    window_slot := window_slots[wanted.window_number];
    added := case when window_slot = 0 then 0 else window_added[window_slot] end;
    used := wanted.hits_total - wanted.hits_expired + added;

    outcome := case
      when wanted.refusal is not null then wanted.refusal
      when wanted.remembered_hash <> wanted.query_hash then 'key_reused'
      when wanted.is_not_purchased then 'not_purchased'
      when used >= wanted.window_limit then 'limited'
      when wanted.remembered_id is not null then 'replayed'
      when wanted.price_nanos > balance_nanos then 'unpaid'
      else 'granted'
    end;

    if outcome = 'granted' or outcome = 'replayed' then
      used := used + 1;
      if window_slot = 0 then
        window_slot := cardinality(window_added) + 1;
        window_slots[wanted.window_number] := window_slot;
        window_places[window_slot] := wanted.window_place;
        window_accounts[window_slot] := wanted.account_id;
        window_operations[window_slot] := wanted.operation;
        window_feeds[window_slot] := wanted.window_feed_id;
        window_expired[window_slot] := wanted.hits_expired;
      end if;
      window_added[window_slot] := added + 1;

      if outcome = 'granted' then
        charge_nanos := wanted.price_nanos;
        if charge_nanos > 0 then
          balance_nanos := balance_nanos - charge_nanos;
          balances[wanted.account_number] := balance_nanos;
          spent[wanted.account_number] := spent[wanted.account_number] + charge_nanos;
        end if;
        if wanted.is_logged then
          usage_id := (id_head || to_hex(32768 + wanted.place) || batch_token)::uuid;
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
      else
        replayed_accounts := replayed_accounts || wanted.account_id;
        replayed_keys := replayed_keys || wanted.idempotency_key;
        usage_id := wanted.remembered_id;
        charge_nanos := wanted.remembered_charge;
        happened_us := floor(extract(epoch from wanted.remembered_at) * 1000000)::bigint;
      end if;
    elsif outcome = 'unpaid' then
      charge_nanos := wanted.price_nanos;
    end if;

    window_used := used;
    -- The hit whose end makes room again, and the oldest that counts; both may be of this batch.
    frees_us := case when outcome = 'limited' then coalesce(
      wanted.hits[wanted.hits_total + added - wanted.window_limit + 1], now_us
    ) + window_us end;
    oldest_us := coalesce(wanted.hits[wanted.hits_expired + 1], now_us) + window_us;
    return next;
  end loop;

  update accounts
  set balance_nanos = accounts.balance_nanos - charges.amount_nanos
  from unnest(account_places, spent) as charges (place, amount_nanos)
  where accounts.ctid = charges.place
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
  update rate_windows as windows
  set hits = windows.hits[hit.expired + 1:] || array_fill(
    greatest(now_us, windows.hits[cardinality(windows.hits)]), array[hit.added]
  )
  from unnest(window_places, window_expired, window_added) as hit (place, expired, added)
  where windows.ctid = hit.place;

  insert into rate_windows (account_id, operation, feed_id, hits)
  select hit.account_id, hit.operation, hit.feed_id, array_fill(now_us, array[hit.added])
  from unnest(window_places, window_accounts, window_operations, window_feeds, window_added)
    as hit (place, account_id, operation, feed_id, added)
  where hit.place is null;

  if cardinality(remembered_ids) > 0 then
    insert into idempotency_keys as remembered (
      account_id, idempotency_key, query_hash, usage_id, charge_nanos, happened_at, batch_tokens
    )
    select
      events.account_id, events.idempotency_key, events.query_hash, events.usage_id,
      events.charge_nanos, moment, array[admit.batch_token]
    from unnest(
      remembered_accounts, remembered_keys, remembered_hashes, remembered_ids, remembered_charges
    ) as events (account_id, idempotency_key, query_hash, usage_id, charge_nanos)
    on conflict (account_id, idempotency_key) do update
    set query_hash = excluded.query_hash,
      usage_id = excluded.usage_id,
      charge_nanos = excluded.charge_nanos,
      happened_at = excluded.happened_at,
      batch_tokens = excluded.batch_tokens;
  end if;

  if cardinality(replayed_keys) > 0 then
    update idempotency_keys as remembered
    set batch_tokens = remembered.batch_tokens || admit.batch_token
    from unnest(replayed_accounts, replayed_keys) as events (account_id, idempotency_key)
    where remembered.account_id = events.account_id
      and remembered.idempotency_key = events.idempotency_key
      and cardinality(remembered.batch_tokens) < 8;
  end if;
end
$$;
