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
--   one, from 1), key_ids, operations, feed_ids (null where no feed is meant), planned_versions (the
--   feed's, as the caller planned by it; null to skip the check), limits (calls in a window for
--   feeds that are free), limits_paid (for metered and purchased feeds), idempotency_keys and
--   query_hashes (both may be null)
-- window_us: length of the window in microseconds
-- idempotency_us: how long an idempotency key is remembered, in microseconds
-- batch_token: 48 random bits, in hexadecimal, that the caller gives the batch: the end of its usage
--   ids, by which refund_reads finds them where the answer is lost. No row comes back for a batch that
--   was given up as lost before it began
--
-- One row comes back for the whole batch, a list for each figure: read for read it would be ten times
-- as many values for PostgreSQL to send and for the gateway to take apart. Lists are text, parted by
-- commas, in the order of the reads; an empty element is null.
--
-- outcomes: granted, replayed (granted under a remembered idempotency key), limited, unpaid,
-- not_purchased, key_refused, feed_closed, stale (the feed changed: plan again), key_reused
-- usage_ids: null where nothing is logged
-- charges_nanos: the price where the outcome is unpaid
-- balances_nanos: after the read
-- frees_us: when a full window has room again
-- oldest_us: when the oldest hit that counts leaves the window
-- data_versions: the feed's; for metadata, which shows more than the data, that of its row (xmin)
-- replayed_us: when the usage event of a replayed read happened
create or replace function admit(
  account_ids uuid[],
  account_numbers int[],
  window_numbers int[],
  key_ids uuid[],
  operations text[],
  feed_ids uuid[],
  planned_versions bigint[],
  limits int[],
  limits_paid int[],
  idempotency_keys text[],
  query_hashes text[],
  window_us bigint,
  idempotency_us bigint,
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
  now_us bigint;
  moment timestamptz;
  wanted record;
  outcome text;
  usage_id uuid;
  charge bigint;
  balance bigint;
  used int;
  added int;
  is_hit boolean;
  is_not_purchased boolean;
  remembered_hash text;
  remembered_id uuid;
  remembered_charge bigint;
  remembered_at timestamptz;
  -- By account, in the order of account_ids.
  account_places tid[];
  balances bigint[];
  spent bigint[];
  is_spent boolean := false;
  -- By window, in the order of its first grant.
  window_slots int[] := array_fill(0, array[cardinality(key_ids)]);
  window_slot int;
  window_reads int[] := '{}';
  window_places tid[] := '{}';
  window_expired int[] := '{}';
  window_added int[] := '{}';
  is_window_new boolean := false;
  is_window_known boolean := false;
  -- By read: what is answered.
  read_outcomes text[] := '{}';
  read_usage_ids uuid[] := '{}';
  read_charges bigint[] := '{}';
  read_balances bigint[] := '{}';
  read_limits int[] := '{}';
  read_used int[] := '{}';
  read_frees bigint[] := array_fill(null::bigint, array[cardinality(key_ids)]);
  read_oldest bigint[] := '{}';
  read_data_versions bigint[] := '{}';
  read_replayed bigint[] := array_fill(null::bigint, array[cardinality(key_ids)]);
  is_logged boolean := false;
  -- The reads that are to be remembered, and that are replayed.
  remembered_reads int[] := '{}';
  replayed_reads int[] := '{}';
begin
  select array_agg(locked.ctid), array_agg(locked.balance_nanos)
  into account_places, balances
  from (
    select accounts.ctid, accounts.balance_nanos
    from accounts
    where accounts.account_id = any (account_ids)
    order by accounts.account_id
    for no key update of accounts
  ) as locked;
  spent := array_fill(0::bigint, array[cardinality(balances)]);

  moment := clock_timestamp();
  now_us := epoch_us(moment);

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
        when keys.key_id is null or keys.account_id <> reads.account_id
          or not is_usable_key(keys.revoked_at, keys.expires_at, moment) then 'key_refused'
        when reads.feed_id is null then null
        when feeds.status is distinct from 'active' then 'feed_closed'
        when feeds.definition_version <> reads.definition_version then 'stale'
      end as refusal,
      window_limit_of(feeds.price_type, reads.limit_free, reads.limit_paid) as window_limit,
      charge_of_call(reads.operation, feeds.price_type, feeds.call_price_nanos) as price_nanos,
      needs_purchase(reads.operation, feeds.price_type) as is_sold_once,
      is_logged_call(reads.operation) as is_logged,
      reads.idempotency_key,
      reads.query_hash,
      windows.ctid as window_place,
      windows.hits,
      coalesce(windows.hits[cardinality(windows.hits)] > now_us, false) as is_ahead,
      coalesce(width_bucket(now_us - window_us, windows.hits), 0) as hits_expired,
      coalesce(cardinality(windows.hits), 0) as hits_total,
      feeds.data_version
    from (
      select
        asked.*,
        account_ids[asked.account_number] as account_id,
        window_feed_of(asked.operation, asked.feed_id) as window_feed_id
      from unnest(
        account_numbers, window_numbers, key_ids, operations, feed_ids, planned_versions,
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
    -- Asked under the locks, as it is written under them: a lost batch is either here before it has
    -- begun, or committed before it is looked for.
    where not exists (
      select from lost_batches where lost_batches.batch_token = admit.batch_token
    )
    order by reads.place
  loop
    usage_id := null;
    charge := 0;
    balance := balances[wanted.account_number];
    window_slot := window_slots[wanted.window_number];
    added := case when window_slot = 0 then 0 else window_added[window_slot] end;
    used := wanted.hits_total - wanted.hits_expired + added;
    -- Looked up only for the few reads that need them: in the query, they would cost every read.
    is_not_purchased := false;
    if wanted.is_sold_once then
      is_not_purchased := not exists (
        select from purchases
        where purchases.account_id = wanted.account_id and purchases.feed_id = wanted.feed_id
      );
    end if;
    remembered_hash := null;
    if wanted.idempotency_key is not null then
      select
        keys.query_hash, keys.usage_id, keys.charge_nanos, keys.happened_at
      into remembered_hash, remembered_id, remembered_charge, remembered_at
      from idempotency_keys as keys
      where keys.account_id = wanted.account_id
        and keys.idempotency_key = wanted.idempotency_key
        and keys.happened_at > moment - idempotency_us * interval '1 microsecond';
    end if;

    outcome := case
      when wanted.refusal is not null then wanted.refusal
      when remembered_hash <> wanted.query_hash then 'key_reused'
      when is_not_purchased then 'not_purchased'
      when used >= wanted.window_limit then 'limited'
      when remembered_hash is not null then 'replayed'
      when wanted.price_nanos > balance then 'unpaid'
      else 'granted'
    end;

    is_hit := outcome = 'granted' or outcome = 'replayed';
    -- A window with hits of a clock that was ahead is put right even where it is full.
    if is_hit or (wanted.is_ahead and outcome = 'limited') then
      used := used + is_hit::int;
      if window_slot = 0 then
        window_slots[wanted.window_number] := cardinality(window_added) + 1;
        window_reads := window_reads || wanted.place::int;
        window_places := window_places || wanted.window_place;
        window_expired := window_expired || wanted.hits_expired;
        window_added := window_added || is_hit::int;
        is_window_new := is_window_new or wanted.window_place is null;
        is_window_known := is_window_known or wanted.window_place is not null;
      else
        window_added[window_slot] := added + is_hit::int;
      end if;
    end if;
    if outcome = 'granted' then
      charge := wanted.price_nanos;
      if charge > 0 then
        balance := balance - charge;
        balances[wanted.account_number] := balance;
        spent[wanted.account_number] := spent[wanted.account_number] + charge;
        is_spent := true;
      end if;
      if wanted.is_logged then
        usage_id := usage_id_of(now_us, wanted.place::int, batch_token);
        is_logged := true;
      end if;
      if wanted.idempotency_key is not null then
        remembered_reads := remembered_reads || wanted.place::int;
      end if;
    elsif outcome = 'replayed' then
      usage_id := remembered_id;
      charge := remembered_charge;
      read_replayed[wanted.place] := epoch_us(remembered_at);
      replayed_reads := replayed_reads || wanted.place::int;
    elsif outcome = 'unpaid' then
      charge := wanted.price_nanos;
    elsif outcome = 'limited' then
      -- The hit whose end makes room again; it may be of this batch.
      read_frees[wanted.place] := least(
        wanted.hits[wanted.hits_total + added - wanted.window_limit + 1], now_us
      ) + window_us;
    end if;

    read_outcomes := read_outcomes || outcome;
    read_usage_ids := read_usage_ids || usage_id;
    read_charges := read_charges || charge;
    read_balances := read_balances || balance;
    read_limits := read_limits || wanted.window_limit;
    read_used := read_used || used;
    read_oldest := read_oldest
      || least(wanted.hits[wanted.hits_expired + 1], now_us) + window_us;
    read_data_versions := read_data_versions || wanted.data_version;
  end loop;

  -- Given up as lost before it began.
  if not found then
    return;
  end if;

  if is_spent then
    update accounts
    set balance_nanos = accounts.balance_nanos - charges.amount_nanos
    from unnest(account_places, spent) as charges (place, amount_nanos)
    where accounts.ctid = charges.place
      and charges.amount_nanos > 0;
  end if;

  if is_logged then
    insert into usage_events (
      usage_id, account_id, operation, feed_id, charge_nanos, balance_after_nanos, happened_at
    )
    select
      read_usage_ids[events.read], account_ids[account_numbers[events.read]],
      operations[events.read], feed_ids[events.read], read_charges[events.read],
      read_balances[events.read], moment
    from generate_series(1, cardinality(key_ids)) as events (read)
    where read_outcomes[events.read] = 'granted'
      and read_usage_ids[events.read] is not null;
  end if;

  if is_window_known then
    -- Expired hits go in the same write that adds the new. Where the clock went back, hits of later than
    -- now become hits of now: the array stays in order, and none outlasts a window.
    update rate_windows as windows
    set hits = case
        when windows.hits[cardinality(windows.hits)] > now_us then array(
          select least(later.hit_us, now_us)
          from unnest(windows.hits[hit.expired + 1:]) with ordinality as later (hit_us, place)
          order by later.place
        )
        else windows.hits[hit.expired + 1:]
      end || array_fill(now_us, array[hit.added])
    from unnest(window_places, window_expired, window_added) as hit (place, expired, added)
    where windows.ctid = hit.place;
  end if;

  if is_window_new then
    insert into rate_windows (account_id, operation, feed_id, hits)
    select
      account_ids[account_numbers[hit.read]],
      operations[hit.read],
      window_feed_of(operations[hit.read], feed_ids[hit.read]),
      array_fill(now_us, array[hit.added])
    from unnest(window_places, window_reads, window_added) as hit (place, read, added)
    where hit.place is null;
  end if;

  if cardinality(remembered_reads) > 0 then
    insert into idempotency_keys as remembered (
      account_id, idempotency_key, query_hash, usage_id, charge_nanos, happened_at, batch_tokens
    )
    select
      account_ids[account_numbers[events.read]], idempotency_keys[events.read],
      query_hashes[events.read], read_usage_ids[events.read], read_charges[events.read], moment,
      array[admit.batch_token]
    from unnest(remembered_reads) as events (read)
    on conflict (account_id, idempotency_key) do update
    set query_hash = excluded.query_hash,
      usage_id = excluded.usage_id,
      charge_nanos = excluded.charge_nanos,
      happened_at = excluded.happened_at,
      batch_tokens = excluded.batch_tokens;
  end if;

  if cardinality(replayed_reads) > 0 then
    update idempotency_keys as remembered
    set batch_tokens = remembered.batch_tokens || admit.batch_token
    from unnest(replayed_reads) as events (read)
    where remembered.account_id = account_ids[account_numbers[events.read]]
      and remembered.idempotency_key = idempotency_keys[events.read]
      and cardinality(remembered.batch_tokens) < 8;
  end if;

  decided_us := now_us;
  outcomes := array_to_string(read_outcomes, ',', '');
  usage_ids := array_to_string(read_usage_ids, ',', '');
  charges_nanos := array_to_string(read_charges, ',', '');
  balances_nanos := array_to_string(read_balances, ',', '');
  window_limits := array_to_string(read_limits, ',', '');
  windows_used := array_to_string(read_used, ',', '');
  frees_us := array_to_string(read_frees, ',', '');
  oldest_us := array_to_string(read_oldest, ',', '');
  data_versions := array_to_string(read_data_versions, ',', '');
  replayed_us := array_to_string(read_replayed, ',', '');
  return next;
end
$$;
