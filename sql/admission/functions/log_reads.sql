-- Charges and logs the reads of a batch in one commit, for those accounts that are as the gateway knows them.
--
-- The gateway has decided the reads by what it remembers. This function proves that: an account's reads are written
-- only if its version is the one that the gateway knows, and each feed is as it was when the gateway planned the read.
-- The version covers balance, windows, purchases, grants, and keys, so nothing else is checked. If another batch has
-- locked the account, the update waits, and then finds the version renewed.
--
-- Accounts are passed and updated in ascending order, so that batches don't deadlock.
--
-- batch_token: 48 random bits in hexadecimal: the suffix of the batch's usage ids
-- new_version: the same as a number: the new version of the accounts that are written
-- clock_us: the latest time at which the gateway decided. If the clock is earlier, it was set back. Then nothing is
--   written, and only decided_us is returned
-- account_ids, known_versions, known_generations, known_us, amounts: one element per account; known_us is the logged_us
--   that the gateway knows, amounts are the sums of the charges
-- The other arrays have one element per read: account_numbers (position of its account, from 1), operations, feed_ids,
-- definition_versions and data_versions (null: no feed; data_version null to skip the check; for metadata it is the
-- version of the feed's row, xmin), charges (nano-dollars), key_ids, key_ends (microseconds of the epoch, when the key or
-- the grant for the feed ends; null: neither does)
-- remembered_reads, idempotency_keys, query_hashes, answered_versions, beginnings: the reads, by position, with an
--   Idempotency-Key, and how they are answered; see the columns of idempotency_keys
-- budget_accounts, budget_keys, budget_amounts: one element per charged budget: the number of its account, the first
--   key of its chain, and the sum of the charges
--
-- A read with the operation purchase buys its feed for the charge. Every purchase renews the account's version. So the
-- version proves that the account has not bought the feed yet, and the gateway must read the account again afterwards.
--
-- verdicts: one letter per read: c (feed and key are current), d (the data has moved, to seen_versions), f (the feed
--   has changed or closed), k (the key or the grant has ended)
-- seen_versions: a list with the data or row version of each read; empty for null
-- balances: a list with the balance of each account after the charge; empty if the account's reads were not written
-- news: of the accounts that were not written because their version has moved, as JSON: [[number, news], …]; see
--   account_news
create or replace function log_reads(
  batch_token text, -- :batch_token
  new_version bigint, -- :new_version
  clock_us bigint, -- :clock_us
  window_us bigint, -- :window_us
  account_ids uuid[], -- :account_ids
  known_versions bigint[], -- :known_versions
  known_generations bigint[], -- :known_generations
  known_us bigint[], -- :known_us
  amounts bigint[], -- :amounts
  account_numbers int[], -- :account_numbers
  operations text[], -- :operations
  feed_ids uuid[], -- :feed_ids
  definition_versions bigint[], -- :definition_versions
  data_versions bigint[], -- :data_versions
  charges bigint[], -- :charges
  key_ids uuid[], -- :key_ids
  key_ends bigint[], -- :key_ends
  remembered_reads int[], -- :remembered_reads
  idempotency_keys text[], -- :idempotency_keys
  query_hashes text[], -- :query_hashes
  answered_versions bigint[], -- :answered_versions
  beginnings bigint[], -- :beginnings
  budget_accounts int[], -- :budget_accounts
  budget_keys uuid[], -- :budget_keys
  budget_amounts bigint[] -- :budget_amounts
)
returns table (
  decided_us bigint, -- :decided_us
  verdicts text, -- :verdicts?
  seen_versions text, -- :seen_versions?
  balances text, -- :balances?
  news json -- :news?
)
language plpgsql
-- Every table is accessed by its key. A plan that was made while the tables were empty would scan them.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
  -- Accounts with a read that can't be written. None of their reads is written.
  held_back int[];
  written_numbers int[];
  written_balances bigint[];
  -- Accounts with logged events later than this time.
  late_numbers int[];
  is_written boolean[];
begin
  decided_us := epoch_us(moment);
  if decided_us < clock_us then
    return next;
    return;
  end if;

  select
    string_agg(reads.verdict, ''),
    string_agg(coalesce(reads.version::text, ''), ','),
    array_agg(reads.account_number) filter (where reads.verdict <> 'c')
  into verdicts, seen_versions, held_back
  from (
    select
      asked.account_number,
      feeds.version,
      case
        when asked.key_end <= decided_us then 'k'
        when asked.feed_id is null then 'c'
        when feeds.is_readable is not true
          or feeds.definition_version <> asked.definition_version then 'f'
        when feeds.version <> asked.data_version then 'd'
        else 'c'
      end as verdict
    from unnest(
      account_numbers, operations, feed_ids, definition_versions, data_versions, key_ends
    ) as asked (account_number, operation, feed_id, definition_version, data_version, key_end)
    left join lateral (
      select
        feeds.is_readable,
        feeds.definition_version,
        case when asked.operation = 'metadata' then feeds.xmin::text::bigint else feeds.data_version
        end as version
      from feeds
      where feeds.feed_id = asked.feed_id
      limit 1
    ) as feeds
      on true
  ) as reads;

  with written as (
    update accounts
    set balance_nanos = accounts.balance_nanos - charged.amount,
      version = new_version,
      logged_us = decided_us,
      -- The clock was set back. A gateway that knows events in the future must read the whole account again.
      generation = case
        when accounts.logged_us >= decided_us then floor(random() * 281474976710656)::bigint
        else accounts.generation
      end,
      late_until_us = case
        when accounts.logged_us >= decided_us
          then greatest(accounts.late_until_us, accounts.logged_us)
        else accounts.late_until_us
      end
    from unnest(account_ids, known_versions, amounts)
      with ordinality as charged (account_id, known_version, amount, number)
    where accounts.account_id = charged.account_id
      and accounts.version = charged.known_version
      and (charged.number = any (held_back)) is not true
    returning
      charged.number::int, accounts.balance_nanos, accounts.late_until_us >= decided_us as is_late
  )
  select
    array_agg(written.number order by written.number),
    array_agg(written.balance_nanos order by written.number),
    array_agg(written.number) filter (where written.is_late)
  into written_numbers, written_balances, late_numbers
  from written;

  if cardinality(written_numbers) = cardinality(account_ids) then
    balances := array_to_string(written_balances, ',');
    is_written := array_fill(true, array[cardinality(account_ids)]);
  else
    is_written := array_fill(false, array[cardinality(account_ids)]);
    for place in 1..coalesce(cardinality(written_numbers), 0) loop
      is_written[written_numbers[place]] := true;
    end loop;
    select string_agg(coalesce(written.balance_nanos::text, ''), ',' order by accounts.number)
    into balances
    from generate_series(1, cardinality(account_ids)) as accounts (number)
    left join unnest(written_numbers, written_balances) as written (number, balance_nanos)
      on written.number = accounts.number;
    select json_agg(json_build_array(asked.number, found.news))
    into news
    from unnest(account_ids, known_versions, known_generations, known_us)
      with ordinality as asked (account_id, version, generation, known_us, number)
    cross join lateral account_news(
      asked.account_id, asked.generation, asked.known_us, decided_us, window_us
    ) as found
    where not is_written[asked.number]
      and found.version <> asked.version;
  end if;

  insert into usage_events (
    usage_id, account_id, operation, feed_id, key_id, charge_nanos, happened_at
  )
  select
    usage_id_of(decided_us, asked.place::int, batch_token), account_ids[asked.account_number],
    asked.operation, asked.feed_id, asked.key_id, asked.charge, moment
  from unnest(account_numbers, operations, feed_ids, key_ids, charges)
    with ordinality as asked (account_number, operation, feed_id, key_id, charge, place)
  where is_written[asked.account_number];

  if 'purchase' = any (operations) then
    insert into purchases (purchase_id, account_id, feed_id, price_cents, purchased_at)
    select
      usage_id_of(decided_us, asked.place::int, batch_token), account_ids[asked.account_number],
      asked.feed_id, asked.charge / 10000000, moment
    from unnest(account_numbers, operations, feed_ids, charges)
      with ordinality as asked (account_number, operation, feed_id, charge, place)
    where asked.operation = 'purchase'
      and is_written[asked.account_number];
    perform watch_feeds_of(account_ids[asked.account_number])
    from unnest(account_numbers, operations) as asked (account_number, operation)
    where asked.operation = 'purchase'
      and is_written[asked.account_number];
  end if;

  if late_numbers is not null then
    insert into sale_changes (kind, account_id, feed_id, usage_id, amount_nanos, sold_at)
    select
      'late', account_ids[asked.account_number], asked.feed_id,
      usage_id_of(decided_us, asked.place::int, batch_token), asked.charge, moment
    from unnest(account_numbers, feed_ids, charges)
      with ordinality as asked (account_number, feed_id, charge, place)
    where asked.account_number = any (late_numbers)
      and asked.feed_id is not null;
  end if;

  if cardinality(remembered_reads) > 0 then
    insert into idempotency_keys as remembered (
      account_id, idempotency_key, query_hash, usage_id, charge_nanos, happened_at,
      answered_version, begins_after
    )
    select
      account_ids[account_numbers[asked.read]], asked.idempotency_key, asked.query_hash,
      usage_id_of(decided_us, asked.read, batch_token), charges[asked.read], moment,
      asked.answered_version, asked.begins_after
    from unnest(remembered_reads, idempotency_keys, query_hashes, answered_versions, beginnings)
      as asked (read, idempotency_key, query_hash, answered_version, begins_after)
    where is_written[account_numbers[asked.read]]
    -- The gateway knows that there is none, or one that is a day old.
    on conflict (account_id, idempotency_key) do update
    set query_hash = excluded.query_hash,
      usage_id = excluded.usage_id,
      charge_nanos = excluded.charge_nanos,
      happened_at = excluded.happened_at,
      answered_version = excluded.answered_version,
      begins_after = excluded.begins_after,
      is_replayed = false;
  end if;

  if cardinality(budget_keys) > 0 then
    insert into key_spending as known (account_id, key_id, day, spent_nanos)
    select
      account_ids[asked.account_number], asked.key_id, utc_day(decided_us), asked.amount
    from unnest(budget_accounts, budget_keys, budget_amounts)
      as asked (account_number, key_id, amount)
    where is_written[asked.account_number]
    on conflict (account_id, key_id) do update
    -- If the clock was set back, the later day stays current.
    set day = greatest(known.day, excluded.day),
      spent_nanos = excluded.spent_nanos
        + case when known.day >= excluded.day then known.spent_nanos else 0 end;
  end if;
  return next;
end
$$;
